//! Guides for models that this crate ships.

use read_core::EmbeddedResources;

/// `builtin://skills/read-tool/SKILL.md`: how a model uses this tool. The command line ships it; a host adds it with
/// [`ReadToolBuilder::resources`](crate::ReadToolBuilder::resources).
pub fn skills() -> EmbeddedResources {
    EmbeddedResources::new().with("skills/read-tool/SKILL.md", include_str!("skill/SKILL.md"))
}
