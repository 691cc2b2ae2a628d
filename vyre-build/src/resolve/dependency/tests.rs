use crate::resolve::dependency::{heads, of_manifest, of_package, own, written};
use proc_macro2::TokenStream;

#[test]
fn names_in_manifests() {
    let renamed = [
        "[dependencies]\nserde = \"1\"\ngpu = { version = \"0.1\", package = \"vyre\" }\n",
        "[dependencies.gpu]\nversion = \"0.1\"\npackage = \"vyre\"\n",
        "[target.'cfg(unix)'.dependencies]\n\"gpu\" = { package='vyre', version = \"0.1\" }",
        "[dependencies]\ngpu.package = \"vyre\"\ngpu.version = \"0.1\"",
    ];
    for manifest in renamed {
        assert_eq!(of_manifest(manifest).as_deref(), Some("gpu"), "{manifest}");
    }
    let dashed = "[dependencies]\nmy-gpu = { package = \"vyre\" }";
    assert_eq!(of_manifest(dashed).as_deref(), Some("my_gpu"));
    let plain = [
        "[package]\nname = \"vyre\"\n",
        "[dependencies]\nvyre = \"0.1\"\n",
        "[dependencies]\nvyre = { package = \"vyre\", version = \"0.1\" }",
        "[dependencies]\ngpu = { package = \"vyre-like\" }",
        "# gpu = { package = \"vyre\" }",
    ];
    for manifest in plain {
        assert_eq!(of_manifest(manifest), None, "{manifest}");
    }
}

#[test]
fn names_in_workspaces() {
    let root = std::env::temp_dir().join(format!("vyre-renamed-{}", std::process::id()));
    let member = |name: &str, manifest: &str| {
        let folder = root.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        of_package(&folder)
    };
    member(
        "",
        "[workspace]\nmembers = [\"a\", \"b\"]\n[workspace.dependencies]\ngpu = { package = \"vyre\", version = \"0.1\" }",
    );
    let inherits = member("a", "[dependencies]\ngpu.workspace = true\n");
    let also = member("a", "[dependencies]\ngpu = { workspace = true }\n");
    let other = member("b", "[dependencies]\nvyre = \"0.1\"\nserde.workspace = true\n");
    std::fs::remove_dir_all(&root).unwrap();
    assert_eq!(inherits.as_deref(), Some("gpu"));
    assert_eq!(also, inherits);
    assert_eq!(other, None);
}

#[test]
fn heads_of_paths() {
    let text = |tokens: TokenStream| tokens.to_string();
    let source = |source: &str| source.parse::<TokenStream>().unwrap();
    let user = "#[gpu::device] fn f(gpu: ::gpu::View<f32>) -> ::gpu::Result { use gpu::a; b::gpu::c(<T>::gpu::d, gpu); gpu::e() }";
    let own = "#[vyre::device] fn f(gpu: ::vyre::View<f32>) -> ::vyre::Result { use vyre::a; b::gpu::c(<T>::gpu::d, gpu); vyre::e() }";
    assert_eq!(text(heads(source(user), "gpu", "vyre")), text(source(own)));
    assert_eq!(text(written(source(own), "gpu")), text(source(user)));
    let carrier = "macro_rules! f { (@vyre $a:path) => { $a! { vyre::f() } }; } impl ::vyre::X for Y {}";
    let written_back = "macro_rules! f { (@vyre $a:path) => { $a! { vyre::f() } }; } impl ::gpu::X for Y {}";
    assert_eq!(text(written(source(carrier), "gpu")), text(source(written_back)));
}

#[test]
fn modules_of_the_user() {
    let text = |tokens: TokenStream| tokens.to_string();
    let source = |source: &str| source.parse::<TokenStream>().unwrap();
    let user = "fn f() { gpu::a(); vyre::b(); self::vyre::c() }";
    let read = heads(own(source(user)), "gpu", "vyre");
    assert_eq!(
        text(read.clone()),
        text(source("fn f() { vyre::a(); __vyre_of_user::b(); self::vyre::c() }"))
    );
    assert_eq!(text(written(read, "gpu")), text(source(user)));
}
