//! The workspace as the commands see it: its files, its packages, its root.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;
use crate::rust_source::{self, Masked};

/// The workspace.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    /// Text files that are tracked, or would be: those that are ignored are left out.
    pub(crate) files: Vec<File>,
    pub(crate) packages: Vec<Package>,
}

/// A text file.
pub(crate) struct File {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// For a Rust file: what is code in it.
    pub(crate) rust: Option<Masked>,
    /// Whether the whole file is compiled for tests only: it is the body of a `#[cfg(test)] mod name;`.
    pub(crate) only_tests: bool,
}

/// A package, as its manifest declares it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) rust_version: String,
    pub(crate) dependencies: Vec<Dependency>,
    /// Each feature with what it turns on.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) targets: Vec<Target>,
}

/// A dependency, as the manifest declares it.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Whether it is needed for tests, examples and benches only.
    pub(crate) dev: bool,
}

/// Something that cargo builds.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// `lib`, `bin`, `example`, `test`, …
    pub(crate) kind: String,
    pub(crate) required_features: Vec<String>,
}

impl Workspace {
    /// Reads it.
    pub(crate) fn load() -> Result<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().context("xtask does not lie in a workspace")?.to_owned();
        let mut workspace = Self { root, target: PathBuf::new(), files: Vec::new(), packages: Vec::new() };
        let metadata = process::output(process::command(
            &workspace,
            "cargo",
            &["metadata", "--no-deps", "--format-version", "1"],
        ))?;
        let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata printed no JSON")?;
        workspace.target = text(metadata.get("target_directory")).into();
        workspace.packages = packages(&metadata);
        workspace.files = files(&workspace)?;
        Ok(workspace)
    }

    /// A workspace of these files and no package.
    #[cfg(test)]
    pub(crate) fn sample(files: &[(&str, &str)]) -> Self {
        let files =
            files.iter().map(|(path, text)| File::new((*path).to_owned(), (*text).to_owned())).collect();
        Self { root: ".".into(), target: "target".into(), files: mark_tests(files), packages: Vec::new() }
    }

    /// The same with a package that depends on these.
    #[cfg(test)]
    pub(crate) fn with_package(mut self, name: &str, dependencies: &[&str]) -> Self {
        let dependencies =
            dependencies.iter().map(|name| Dependency { name: (*name).to_owned(), dev: false }).collect();
        self.packages.push(Package { name: name.to_owned(), dependencies, ..Package::default() });
        self
    }

    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust files of the published crates' libraries and programs, without those that only tests compile.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&File, &Masked)> {
        self.files
            .iter()
            .filter(|file| !file.only_tests && crate_of_source(&file.path).is_some())
            .filter_map(with_masked)
    }

    /// All Rust files.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = (&File, &Masked)> {
        self.files.iter().filter_map(with_masked)
    }

    /// The manifests of the published crates.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| {
            let parts: Vec<_> = file.path.split('/').collect();
            matches!(parts.as_slice(), ["crates", _, "Cargo.toml"])
        })
    }
}

fn with_masked(file: &File) -> Option<(&File, &Masked)> {
    Some((file, file.rust.as_ref()?))
}

/// The crate whose `src` directory holds `path`.
pub(crate) fn crate_of_source(path: &str) -> Option<&str> {
    let (name, below) = path.strip_prefix("crates/")?.split_once('/')?;
    below.starts_with("src/").then_some(name)
}

impl File {
    fn new(path: String, text: String) -> Self {
        let is_rust = Path::new(&path).extension().is_some_and(|extension| extension == "rs");
        let rust = is_rust.then(|| Masked::new(&text));
        Self { path, text, rust, only_tests: false }
    }
}

fn files(workspace: &Workspace) -> Result<Vec<File>> {
    let listed = process::output(process::command(
        workspace,
        "git",
        // A clone may belong to another user than the one who checks it.
        &["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    ))?;
    let mut paths: Vec<_> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        match std::fs::read(workspace.root.join(path)) {
            // What is no UTF-8 is no text, and nothing here is to be said about it.
            Ok(bytes) => {
                if let Ok(text) = String::from_utf8(bytes) {
                    files.push(File::new(path.to_owned(), text));
                }
            }
            // Deleted and not yet committed, or a link to a directory.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => {}
            Err(error) => return Err(error).with_context(|| format!("{path} cannot be read")),
        }
    }
    Ok(mark_tests(files))
}

/// Marks the files that are declared by `#[cfg(test)] mod name;`, and those below them.
fn mark_tests(mut files: Vec<File>) -> Vec<File> {
    let mut stems = Vec::new();
    for file in &files {
        let Some(rust) = &file.rust else { continue };
        let base = module_directory(&file.path);
        stems.extend(rust_source::test_modules(&rust.all).into_iter().map(|name| format!("{base}/{name}")));
    }
    for file in &mut files {
        file.only_tests = stems.iter().any(|stem| {
            file.path.strip_prefix(stem.as_str()).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        });
    }
    files
}

/// The directory in which the modules lie that a file declares.
fn module_directory(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or((".", path));
    match name.strip_suffix(".rs") {
        Some("lib" | "main" | "mod") | None => directory.to_owned(),
        Some(stem) => format!("{directory}/{stem}"),
    }
}

fn packages(metadata: &Value) -> Vec<Package> {
    let mut packages: Vec<_> = list(metadata.get("packages")).iter().map(package).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

fn package(value: &Value) -> Package {
    Package {
        name: text(value.get("name")),
        rust_version: text(value.get("rust_version")),
        dependencies: list(value.get("dependencies"))
            .iter()
            .map(|one| Dependency {
                name: text(one.get("name")),
                dev: one.get("kind").and_then(Value::as_str) == Some("dev"),
            })
            .collect(),
        features: value
            .get("features")
            .and_then(Value::as_object)
            .map(|features| {
                let on = |value: &Value| list(Some(value)).iter().map(|one| text(Some(one))).collect();
                features.iter().map(|(name, value)| (name.clone(), on(value))).collect()
            })
            .unwrap_or_default(),
        targets: list(value.get("targets"))
            .iter()
            .map(|one| Target {
                name: text(one.get("name")),
                kind: text(list(one.get("kind")).first()),
                required_features: list(one.get("required-features")).iter().map(|f| text(Some(f))).collect(),
            })
            .collect(),
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_loads() {
        let workspace = Workspace::load().unwrap();
        let xtask = workspace.package("xtask").unwrap();
        assert!(
            xtask.dependencies.iter().any(|dependency| dependency.name == "serde_json" && !dependency.dev)
        );
        assert!(xtask.targets.iter().any(|target| target.kind == "bin"));
        assert!(!xtask.rust_version.is_empty());
        assert!(workspace.file("xtask/src/workspace.rs").unwrap().rust.is_some());
        assert!(workspace.sources().any(|(file, _)| file.path == "crates/read-core/src/lib.rs"));
        assert!(workspace.manifests().any(|file| file.path == "crates/read-core/Cargo.toml"));
    }

    #[test]
    fn files_of_test_modules_are_known() {
        let workspace = Workspace::sample(&[
            ("crates/a/src/lib.rs", "#[cfg(test)]\nmod tests;\nmod code;\n"),
            ("crates/a/src/tests.rs", "mod deeper;\n"),
            ("crates/a/src/tests/deeper.rs", ""),
            ("crates/a/src/code.rs", "#[cfg(test)] mod inner;\n"),
            ("crates/a/src/code/inner.rs", ""),
            ("crates/a/src/tests_of_nothing.rs", ""),
        ]);
        let sources: Vec<_> = workspace.sources().map(|(file, _)| file.path.as_str()).collect();
        assert_eq!(
            sources,
            ["crates/a/src/lib.rs", "crates/a/src/code.rs", "crates/a/src/tests_of_nothing.rs"]
        );
    }
}
