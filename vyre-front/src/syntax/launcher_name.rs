//! Names of launchers: a struct beside the kernel, or for a generic kernel an alias, which would hide what has its name.

use proc_macro2::Ident;

use crate::errors::{self, Code, Diagnostic};
use crate::resolve::source_scan::Surroundings;

/// The items that have the namespace of the launcher.
const TYPES: &[&str] = &["struct", "enum", "trait", "type", "union", "mod"];

/// Types and traits that are in scope everywhere, or where vyre's prelude is.
const PRELUDE: [&str; 63] = words![
    AsMut AsRef AtomicBool AtomicF32 AtomicF64 AtomicI16 AtomicI32 AtomicI64 AtomicI8 AtomicIsize AtomicU16 AtomicU32
    AtomicU64 AtomicU8 AtomicUsize AtomicView Box Clone Copy Default Device DeviceBuffer DoubleEndedIterator Drop Eq
    ExactSizeIterator Extend Float Fn FnMut FnOnce From FromIterator Integer Into IntoIterator Iterator Number Option
    Ord Ordering PartialEq PartialOrd Result Scoped Send Sized Slice Slice2 SliceMut2 Stream String Sync ToOwned
    ToString TryFrom TryInto Unpin Vec View View2 ViewMut ViewMut2
];

/// The item or type that the launcher of a kernel would hide, as the end of a sentence, if the text around the kernel shows it.
pub(crate) fn hidden(launcher: &Ident, around: &Surroundings) -> Option<String> {
    let name = launcher.to_string();
    if let Some((keyword, line)) = around.item(TYPES, &name) {
        return Some(format!("as the {keyword} of line {line} is"));
    }
    if let Some(line) = around.kernel_with_launcher(&name) {
        return Some(format!("as that of the kernel of line {line} is"));
    }
    if !PRELUDE.contains(&&*name) {
        return None;
    }
    let line = around.line_that_means(&name)?;
    Some(format!("and hide the `{name}` that line {line} means"))
}

/// The error of a launcher of a name that is taken.
pub(crate) fn error(launcher: &Ident, hidden: &str, others: &str) -> Diagnostic {
    errors::diagnostic(
        Code::LauncherName,
        launcher.span(),
        format_args!("the launcher of this kernel would be called `{launcher}`, {hidden}"),
        format_args!("give it another name: `#[vyre::kernel(launcher = {launcher}Kernel{others})]`"),
    )
}
