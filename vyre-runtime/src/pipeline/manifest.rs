//! A record of a pipeline, from which it can be built again.

use std::fmt::Write;

/// A record of a [`Pipeline`](crate::Pipeline): what it was compiled from, by what, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Manifest {
    /// The version of this record's form: `vyre-pipeline-1`.
    pub schema: String,
    /// The id of the pipeline.
    pub pipeline: String,
    /// The back end: `cuda` or `cpu`.
    pub backend: String,
    /// The version of vyre.
    pub version: String,
    /// The set of options that it was compiled with; see [`Config::profile`](crate::Config::profile).
    pub profile: String,
    /// The most ulp of its approximations; see [`Config::ulp_budget`](crate::Config::ulp_budget).
    pub ulp_budget: Option<u32>,
    /// The digest of the program's text and of these options, in hexadecimal digits.
    pub program_digest: String,
    /// The `.target` of the PTX, `sm_70`; `None` without PTX.
    pub target: Option<String>,
    /// The `.version` of the PTX, major and minor; `None` without PTX.
    pub ptx_version: Option<(u32, u32)>,
    /// The names of the kernels.
    pub kernels: Vec<String>,
    /// The program's text, with the values of its constants: `vyre::ir::text::parse` reads it.
    pub program: String,
}

impl Manifest {
    /// The value of [`schema`](Manifest::schema).
    pub const SCHEMA: &'static str = "vyre-pipeline-1";

    /// The record as a JSON object with the fields' names.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        let text = |out: &mut String, name: &str, value: &str| {
            out.push_str(if out.len() == 1 { "" } else { "," });
            quote(out, name);
            out.push(':');
            quote(out, value);
        };
        text(&mut out, "schema", &self.schema);
        text(&mut out, "pipeline", &self.pipeline);
        text(&mut out, "backend", &self.backend);
        text(&mut out, "version", &self.version);
        text(&mut out, "profile", &self.profile);
        match self.ulp_budget {
            Some(ulps) => drop(write!(out, ",\"ulp_budget\":{ulps}")),
            None => out.push_str(",\"ulp_budget\":null"),
        }
        text(&mut out, "program_digest", &self.program_digest);
        match &self.target {
            Some(target) => text(&mut out, "target", target),
            None => out.push_str(",\"target\":null"),
        }
        match self.ptx_version {
            Some((major, minor)) => drop(write!(out, ",\"ptx_version\":[{major},{minor}]")),
            None => out.push_str(",\"ptx_version\":null"),
        }
        out.push_str(",\"kernels\":[");
        for (number, kernel) in self.kernels.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { "," });
            quote(&mut out, kernel);
        }
        out.push(']');
        text(&mut out, "program", &self.program);
        out.push('}');
        out
    }
}

/// Appends a text as JSON writes it.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            letter if letter < ' ' => drop(write!(out, "\\u{:04x}", letter as u32)),
            letter => out.push(letter),
        }
    }
    out.push('"');
}
