//! Texts that a host embeds, under `builtin://…`.

use std::collections::BTreeMap;
use std::sync::Arc;

use read_selector::cuts;

use crate::error::{ErrorCode, ReadError};
use crate::names::{printed, shortened};
use crate::near::Near;
use crate::source::{Body, Noun, Slice, Source};

/// The scheme of embedded resources.
pub(crate) const SCHEME: &str = "builtin://";

/// Texts that a host embeds. They resolve before any file system is asked.
pub trait Resources: Send + Sync {
    /// The text of that name (`skills/read-tool/SKILL.md`, without the scheme); `None` where there is none.
    fn get(&self, name: &str) -> Option<Arc<str>>;

    /// All names, for near names in errors.
    fn names(&self) -> Vec<String>;
}

/// Resources in a map.
#[derive(Clone, Debug, Default)]
pub struct EmbeddedResources(BTreeMap<String, Arc<str>>);

impl EmbeddedResources {
    /// No resources.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a text.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        self.0.insert(name.into(), text.into());
        self
    }
}

impl Resources for EmbeddedResources {
    fn get(&self, name: &str) -> Option<Arc<str>> {
        self.0.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// A resource that a target names.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) text: Arc<str>,
    pub(crate) rest: String,
}

impl Found {
    pub(crate) fn source(&self) -> Source {
        let leaf = self.name.rsplit('/').next().unwrap_or_default();
        let body = Body::Slice(Slice::from_bytes(self.text.as_bytes()));
        Source::new(leaf, format!("{SCHEME}{}", printed(self.name.as_bytes())), Noun::Resource, body)
    }
}

/// The resource that `target`, which begins with the scheme, names: the longest name that is registered.
pub(crate) fn find(resources: &dyn Resources, target: &str) -> Result<Found, ReadError> {
    let target = target.strip_prefix(SCHEME).unwrap_or(target);
    for cut in cuts(target) {
        if let Some(text) = resources.get(cut.path) {
            let text = present(resources, cut.path, text)?;
            return Ok(Found { name: cut.path.to_owned(), text, rest: cut.rest.to_owned() });
        }
    }
    let asked = read_selector::head(target);
    let near = near(resources, asked);
    let mut message = format!("'{SCHEME}{}' not found.", shortened(asked.as_bytes()));
    if let Some(first) = near.first() {
        message.push_str(" Did you mean ");
        message.push_str(first);
        message.push('?');
    }
    Err(ReadError::new(ErrorCode::NotFound, message).with_suggestions(near))
}

/// A text that is not empty: one that is may be in the making, and is asked for once more.
fn present(resources: &dyn Resources, name: &str, text: Arc<str>) -> Result<Arc<str>, ReadError> {
    let text = if text.is_empty() { resources.get(name).unwrap_or(text) } else { text };
    if text.is_empty() {
        return Err(ReadError::new(
            ErrorCode::BuiltinEmpty,
            format!("'{SCHEME}{}' is registered but has no text.", shortened(name.as_bytes())),
        ));
    }
    Ok(text)
}

/// Names near the one asked for, then those that end in the same last name.
fn near(resources: &dyn Resources, asked: &str) -> Vec<String> {
    const OFFERED: usize = 3;
    let leaf = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let mut names = resources.names();
    names.sort();
    let mut near = Near::new(asked, None).within(asked.len() / 3 + 1).among(&names).best(OFFERED);
    let elsewhere = names.iter().filter(|name| leaf(name) == leaf(asked));
    for name in elsewhere {
        if near.len() < OFFERED && !near.contains(&name) {
            near.push(name);
        }
    }
    near.into_iter().map(|name| format!("{SCHEME}{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn resources() -> EmbeddedResources {
        EmbeddedResources::new().with("skills/a/SKILL.md", "one\ntwo\n").with("x:1", "literal")
    }

    #[test]
    fn the_longest_name_wins_and_the_rest_is_a_selector() {
        let found = find(&resources(), "builtin://skills/a/SKILL.md:1-2").unwrap();
        assert_eq!((found.name.as_str(), found.rest.as_str()), ("skills/a/SKILL.md", "1-2"));
        assert_eq!(find(&resources(), "builtin://x:1").unwrap().rest, "");
    }

    #[test]
    fn what_is_not_there_has_near_names() {
        let error = find(&resources(), "builtin://skills/b/SKILL.md:3").unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
        assert_eq!(error.suggestions(), ["builtin://skills/a/SKILL.md"]);
    }

    #[test]
    fn an_empty_text_is_asked_for_once_more_and_then_fails_by_name() {
        struct Late(AtomicUsize, usize);
        impl Resources for Late {
            fn get(&self, _: &str) -> Option<Arc<str>> {
                let asked = self.0.fetch_add(1, Ordering::Relaxed);
                Some(if asked >= self.1 { "text".into() } else { "".into() })
            }
            fn names(&self) -> Vec<String> {
                Vec::new()
            }
        }
        assert_eq!(&*find(&Late(AtomicUsize::new(0), 1), "builtin://n").unwrap().text, "text");
        let error = find(&Late(AtomicUsize::new(0), 2), "builtin://n").unwrap_err();
        assert_eq!(error.code(), ErrorCode::BuiltinEmpty);
        assert!(error.message().contains("builtin://n"));
    }
}
