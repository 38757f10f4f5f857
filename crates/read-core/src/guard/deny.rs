//! Deny rules: globs for what may not be read.

use std::sync::LazyLock;

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

use super::Guard;
use super::shipped::SHIPPED;
use crate::error::{ErrorCode, ReadError};
use crate::names::shortened;

/// Globs on workspace paths. What one of them matches is refused, and so is all that lies below it.
///
/// | glob | matches |
/// | --- | --- |
/// | `.env*`, `*.key` (no `/` in it) | that name at any depth |
/// | `**/.aws/credentials` | those names at any depth |
/// | `conf/*.yml` | from the workspace (or from the archive, for its members); `*` and `?` never match a `/` |
/// | `/etc/shadow`, `/secrets` | from `/`, and from the workspace as well |
/// | `secrets/` | the same as `secrets` |
/// | `!.env.example` | an exception: the last rule that matches a path decides. What lies below something denied stays denied |
///
/// `[a-z]`, `{a,b}` and `\` before a character that is meant as it is work as in other globs. Case counts, except
/// where the file systems of the platform ignore it (macOS, Windows); see
/// [`case_insensitive`](Self::case_insensitive). Paths are bytes and need not be UTF-8.
///
/// # The shipped set
///
/// [`DenyRules::shipped`] refuses, at any depth and whatever the case:
///
/// | what | globs |
/// | --- | --- |
/// | private keys and their stores | `id_rsa`, `id_dsa`, `id_ecdsa`, `id_ecdsa_sk`, `id_ed25519`, `id_ed25519_sk`, `ssh_host_*_key`, `*.pem`, `*.key`, `*.p8`, `*.p12`, `*.pfx`, `*.ppk`, `*.jks`, `*.keystore`, `*.ovpn`; keys with a name behind (`id_rsa_work`, not `id_rsa_test.go`), and copies of all these (`.bak`, `.backup`, `.old`, `.orig`, `.save`, `.tmp`, `.swp`, `~`); all in `.ssh` except `*.pub`, `config`, `known_hosts*`, `authorized_keys*`; `.gnupg` |
/// | environments | `.env*`, except `.env.example`, `.env.sample`, `.env.template`, `.env.dist` (also as `.env.*.example` and so on), `.env.example.*`, `.env.default`, `.env.defaults`, `.env.schema`; `*.env`, except the like (`example.env`, `prod.sample.env`); `.streamlit/secrets.toml`, `local.settings.json` |
/// | clouds and clusters | `.aws/credentials` and the caches beside it, the tokens in `.azure`, `.config/gcloud/**`, `.kube/config`, `.oci/config`, `.s3cfg`, `.boto`, `.config/rclone/rclone.conf`, `.terraformrc`, `.terraform.d/credentials.tfrc.json`, `*.tfstate` and its backups, `.vault-token`, `.vault_pass*`, `.vault-pass*`, `kubeconfig`, `*.kubeconfig`, `client_secret*.json`, `gha-creds-*.json`, `service-account*.json` (also `_` and joined), `.databrickscfg` |
/// | registries and version control | `.docker/config.json`, `.dockercfg`, `containers/auth.json`, `.npmrc`, `.pypirc`, `.cargo/credentials` (and `.toml`), `.gem/credentials`, `.composer/auth.json`, `.m2/settings.xml`, `.m2/settings-security.xml`, `.git-credentials`, `.config/git/credentials`, `.git/config` (its addresses may hold tokens) and those of bare repositories and submodules, `.config/gh/hosts.yml`, `.config/hub`, `.config/glab-cli/config.yml`, `huggingface/token`, `.credentials.json`, `.codex/auth.json` |
/// | network and database clients | `.netrc`, `_netrc`, `.pgpass`, `.my.cnf`, `.mylogin.cnf`, `.htpasswd`; what was typed: `.*_history` |
/// | password stores and keyrings | `.password-store`, `*.kdbx`, `.local/share/keyrings/**`, `Library/Keychains/**`, `*.keychain`, `*.keychain-db`, `/etc/shadow*`, `/etc/gshadow*` |
/// | processes | `/proc/*/environ`, `/proc/*/task/*/environ`, `/proc/*/mem`, `/proc/*/task/*/mem`, `/proc/kcore` |
///
/// It knows files by their names alone: a password in `config.yml` or `terraform.tfvars` is the host's to deny.
///
/// ```
/// use read_core::{DenyRules, Guard};
///
/// let rules = DenyRules::new(["secrets/", "!.env.test"])?.with_shipped();
/// assert!(!rules.permits(b"secrets/plan.txt"));
/// assert!(!rules.permits(b"a.zip/conf/.env"));
/// assert!(rules.permits(b".env.test") && rules.permits(b".env.example"));
/// # Ok::<(), read_core::ReadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DenyRules {
    globs: Vec<String>,
    own: Compiled,
    shipped: bool,
}

impl DenyRules {
    /// Rules from globs; [`ErrorCode::InvalidArguments`] names one that is malformed.
    pub fn new<S: AsRef<str>>(globs: impl IntoIterator<Item = S>) -> Result<Self, ReadError> {
        let globs: Vec<String> = globs.into_iter().map(|glob| glob.as_ref().to_owned()).collect();
        let own = Compiled::new(globs.iter().map(String::as_str), cfg!(any(target_os = "macos", windows)))?;
        Ok(Self { globs, own, shipped: false })
    }

    /// The shipped set alone.
    pub fn shipped() -> Self {
        Self::default().with_shipped()
    }

    /// The same with the shipped set before these rules, so that they can make exceptions to it.
    #[must_use]
    pub fn with_shipped(mut self) -> Self {
        self.shipped = true;
        self
    }

    /// The same with ASCII letters of either case alike, or not. The shipped set always ignores case.
    pub fn case_insensitive(mut self, ignore: bool) -> Result<Self, ReadError> {
        self.own = Compiled::new(self.globs.iter().map(String::as_str), ignore)?;
        Ok(self)
    }

    fn judge(&self, path: &[u8], anchored_only: bool) -> bool {
        let asked = Asked { absolute: path.starts_with(b"/"), anchored_only };
        let names = path.strip_prefix(b"/").unwrap_or(path);
        let names = names.strip_suffix(b"/").unwrap_or(names);
        let ends = names.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        ends.chain([names.len()]).filter_map(|end| names.get(..end)).all(|part| !self.denies(part, asked))
    }

    /// Whether the last rule that matches these very names denies them.
    fn denies(&self, names: &[u8], asked: Asked) -> bool {
        match (self.own.verdict(names, asked), &*SHIPPED_RULES) {
            (Some(verdict), _) => verdict == Verdict::Denied,
            (None, _) if !self.shipped => false,
            (None, Some(shipped)) => shipped.verdict(names, asked) == Some(Verdict::Denied),
            // It does compile, as the tests say; nothing is readable by accident.
            (None, None) => true,
        }
    }
}

impl Guard for DenyRules {
    fn permits(&self, path: &[u8]) -> bool {
        self.judge(path, false)
    }

    fn permits_absolute(&self, path: &[u8]) -> bool {
        self.judge(path, true)
    }

    fn has_rules(&self) -> bool {
        self.shipped || !self.own.rules.is_empty()
    }
}

static SHIPPED_RULES: LazyLock<Option<Compiled>> =
    LazyLock::new(|| Compiled::new(SHIPPED.iter().copied(), true).ok());

/// Compiled globs, in order.
#[derive(Clone, Debug, Default)]
struct Compiled {
    set: GlobSet,
    rules: Vec<Rule>,
    ignore_case: bool,
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    verdict: Verdict,
    reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Denied,
    Excepted,
}

/// From where a glob counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// At any depth.
    Anywhere,
    /// From the workspace.
    Workspace,
    /// From `/` and from the workspace.
    Slash,
}

/// What kind of path is asked about.
#[derive(Clone, Copy)]
struct Asked {
    absolute: bool,
    anchored_only: bool,
}

impl Reach {
    fn covers(self, asked: Asked) -> bool {
        match self {
            Self::Anywhere => !asked.anchored_only,
            Self::Workspace => !asked.anchored_only && !asked.absolute,
            Self::Slash => true,
        }
    }
}

impl Compiled {
    fn new<'a>(globs: impl Iterator<Item = &'a str>, ignore_case: bool) -> Result<Self, ReadError> {
        let mut set = GlobSetBuilder::new();
        let mut rules = Vec::new();
        for written in globs {
            let (verdict, glob) = match written.strip_prefix('!') {
                Some(glob) => (Verdict::Excepted, glob),
                None => (Verdict::Denied, written),
            };
            let (reach, glob) = match glob.strip_prefix('/') {
                Some(glob) => (Reach::Slash, glob),
                None if glob.starts_with("**/") => (Reach::Anywhere, glob),
                None => (Reach::Workspace, glob.strip_prefix("./").unwrap_or(glob)),
            };
            let glob = glob.trim_end_matches('/');
            if glob.is_empty() {
                return Err(invalid(written, "it is empty"));
            }
            // A single name is meant at any depth.
            let (reach, glob) = match reach {
                Reach::Workspace if !glob.contains('/') => (Reach::Anywhere, format!("**/{glob}")),
                reach => (reach, glob.to_owned()),
            };
            let glob = if ignore_case { glob.to_ascii_lowercase() } else { glob };
            let built = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build();
            set.add(built.map_err(|error| invalid(written, &error.kind().to_string()))?);
            rules.push(Rule { verdict, reach });
        }
        let set = set.build().map_err(|error| invalid("all rules together", &error.to_string()))?;
        Ok(Self { set, rules, ignore_case })
    }

    /// What the last rule that matches `names` says.
    fn verdict(&self, names: &[u8], asked: Asked) -> Option<Verdict> {
        if self.rules.is_empty() {
            return None;
        }
        let folded;
        let names = if self.ignore_case {
            folded = names.to_ascii_lowercase();
            &folded
        } else {
            names
        };
        let matches = self.set.matches_candidate(&Candidate::from_bytes(names));
        let rules = matches.iter().rev().filter_map(|at| self.rules.get(*at));
        rules.filter(|rule| rule.reach.covers(asked)).map(|rule| rule.verdict).next()
    }
}

fn invalid(glob: &str, why: &str) -> ReadError {
    let message = format!("The deny rule '{}' is not a valid glob: {why}.", shortened(glob.as_bytes()));
    ReadError::new(ErrorCode::InvalidArguments, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(rules: &DenyRules, paths: &[&str]) -> Vec<String> {
        paths.iter().filter(|path| !rules.permits(path.as_bytes())).map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn the_shipped_set_refuses_secrets_at_any_depth() {
        let rules = DenyRules::shipped();
        let secrets = [
            ".env",
            ".env.local",
            ".envrc",
            "a/b/.env.production",
            "conf.zip/conf/.env",
            ".ENV",
            "keys/ID_RSA",
            "id_ed25519",
            "tls/server.key",
            "tls/server.pem",
            "store.JKS",
            "release.keystore",
            "home/.ssh/work_key",
            "home/.ssh/sub/k",
            ".aws/credentials",
            ".netrc",
            ".npmrc",
            ".docker/config.json",
            "u/.config/gcloud/legacy/x",
            ".kube/config",
            ".gnupg",
            ".gnupg/private-keys-v1.d/a",
            "Library/Keychains/login.keychain-db",
            ".git-credentials",
            "/proc/1/environ",
            "/proc/self/environ",
            "/proc/1/task/2/environ",
            "proc/1/environ",
            "/proc/self/mem",
            "/etc/shadow",
            "/etc/shadow-",
            ".env/nested",
            "id_rsa.bak",
            "id_ed25519~",
            "id_rsa_work",
            "id_ecdsa_sk.old",
            "id_ed25519-work.bak",
            "id_rsa_work.pem",
            "tls/server.pem.bak",
            "a/server.key.old",
            "terraform.tfstate",
            "infra/terraform.tfstate.backup",
            "terraform.tfstate.1700000000.backup",
            "prod.env",
            "deploy/PROD.env",
            ".git/config",
            "a/b/.git/config",
            "bare.git/config",
            ".git/modules/lib/deep/config",
            "client_secret_12.apps.json",
            "service-account.json",
            "service_account_prod.json",
            "serviceaccount.json",
            "gha-creds-0a1b.json",
            "kubeconfig",
            "dev.kubeconfig",
            ".bash_history",
            ".vault_pass.txt",
            "home/.claude/.credentials.json",
            "client.ovpn",
        ];
        assert_eq!(denied(&rules, &secrets), secrets);
    }

    #[test]
    fn the_shipped_set_leaves_what_only_looks_like_a_secret() {
        let rules = DenyRules::shipped();
        let plain = [
            ".env.example",
            "a/.env.sample",
            ".env.template",
            ".env.dist",
            ".env.local.example",
            "env",
            "environment.md",
            "key",
            "monkey.rs",
            "id_rsa.pub",
            ".ssh/id_rsa.pub",
            ".ssh/config",
            ".ssh/known_hosts",
            ".ssh",
            "docker/config.json",
            ".aws/config",
            "/proc/1/status",
            "src/environ",
            "etc/hosts",
            "example.env",
            "prod.example.env",
            "app-sample.env",
            "template.env",
            "id_rsa_test.go",
            "id_rsa.rs",
            "id_rsa_work.pub",
            "id_rsa.bak.md",
            "id_ed25519.md",
            "monkey.bak",
            "notes.old",
            "main.tf",
            "terraform.tfvars",
            "tfstate.rs",
            "src/config",
            ".git/HEAD",
            ".gitconfig",
            ".gitmodules",
            ".github/config",
            "legit/config",
            "git/config",
            "service-accounts.json",
            "service-account.yaml",
            "kubeconfig.go",
            "env.rs",
            "environment",
            "command_history",
            "history",
            "secret.rs",
            "settings.json",
        ];
        assert_eq!(denied(&rules, &plain), [""; 0]);
        assert!(rules.has_rules());
    }

    #[test]
    fn globs_reach_as_far_as_they_are_written() {
        let rules = DenyRules::new(["build", "conf/*.yml", "**/x/y", "/var/log", "gen/**", "sub/"]).unwrap();
        let refused = [
            "build",
            "a/build",
            "build/a",
            "a/build/b",
            "conf/a.yml",
            "q/x/y",
            "x/y/z",
            "/var/log",
            "/var/log/a",
            "var/log",
            "gen/a",
            "gen/a/b",
            "/q/build",
            "a/sub",
            "sub/x",
            "build/",
            "/q/x/y",
        ];
        assert_eq!(denied(&rules, &refused), refused);
        let open = [
            "builds",
            "conf/a/b.yml",
            "a/conf/a.yml",
            "/q/conf/a.yml",
            "x",
            "log",
            "a/var/log",
            "gen",
            "conf",
        ];
        assert_eq!(denied(&rules, &open), [""; 0]);
    }

    #[test]
    fn only_anchored_rules_judge_absolute_paths_of_the_workspace() {
        let rules = DenyRules::new(["build", "/home/u/ws/secret"]).unwrap();
        assert!(rules.permits_absolute(b"/home/build/ws/a"));
        assert!(!rules.permits_absolute(b"/home/u/ws/secret/a"));
        assert!(!DenyRules::shipped().permits_absolute(b"/proc/7/environ"));
        assert!(DenyRules::shipped().permits_absolute(b"/home/.env/ws/a"));
    }

    #[test]
    fn the_last_match_decides_but_not_below_what_is_denied() {
        let rules = DenyRules::new(["*.txt", "!keep.txt", "dir", "!dir/keep.txt"]).unwrap();
        assert_eq!(
            denied(&rules, &["a.txt", "keep.txt", "b/keep.txt", "dir/keep.txt"]),
            ["a.txt", "dir/keep.txt"]
        );
        let rules = DenyRules::new(["!.env.test", "README.md"]).unwrap().with_shipped();
        assert_eq!(denied(&rules, &[".env.test", ".env", "README.md", "readme.md"]), [".env", "README.md"]);
        let rules = rules.case_insensitive(true).unwrap();
        assert_eq!(denied(&rules, &["readme.md"]), ["readme.md"]);
    }

    #[test]
    fn bytes_need_not_be_utf8() {
        let rules = DenyRules::new(["*.key"]).unwrap();
        assert!(!rules.permits(b"a/\xff.key") && !rules.permits(b"\xff/x.key") && rules.permits(b"\xff"));
    }

    #[test]
    fn a_malformed_glob_is_named() {
        for glob in ["a[", "!", "", "/", "{a"] {
            let error = DenyRules::new(["ok", glob]).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArguments);
            assert!(error.message().contains(&format!("'{glob}'")), "{error}");
        }
        assert!(!DenyRules::new([""; 0]).unwrap().has_rules());
    }
}
