//! The tool as models are told of it: name, description and the schema of its arguments, in the shapes of several APIs.
//!
//! The schema of five flat arguments is written by hand: derived from a type it would need its nullable types, formats and
//! titles taken out again for half of the shapes, and every host without the server would compile the deriving crate.

mod shape;

use read_core::{Limits, Registry};
use serde_json::{Map, Value, json};

use crate::description::describe;

/// The shape that an API wants a tool in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaFormat {
    /// The Model Context Protocol: `name`, `description`, `inputSchema`, `annotations`.
    #[default]
    Mcp,
    /// Anthropic's Messages API: `name`, `description`, `input_schema`.
    Anthropic,
    /// `OpenAI`'s Chat Completions API: `type`, and `function` with `name`, `description`, `parameters`.
    OpenAi,
    /// Gemini's API: a function declaration, `name`, `description`, `parameters` in the subset of `OpenAPI` that it takes.
    Gemini,
}

/// A tool as a model is told of it.
///
/// ```
/// use read_tool::{Limits, Registry, SchemaFormat, ToolDefinition};
///
/// let definition = ToolDefinition::new(&Registry::core(), &Limits::default());
/// let tool = definition.to_json(SchemaFormat::Anthropic);
/// assert_eq!(tool["name"], "read");
/// assert_eq!(tool["input_schema"]["required"], serde_json::json!(["path"]));
/// assert!(definition.description().contains("src/ui.rs:200-260"));
/// ```
#[derive(Clone, Debug)]
pub struct ToolDefinition {
    name: String,
    registry: Registry,
    limits: Limits,
    anchors: bool,
}

impl ToolDefinition {
    /// The definition of a tool with these readers and limits. Its description speaks of nothing else.
    pub fn new(registry: &Registry, limits: &Limits) -> Self {
        Self {
            name: "read".to_owned(),
            registry: registry.clone(),
            limits: limits.clone(),
            anchors: cfg!(feature = "hashline"),
        }
    }

    /// The same under another name. APIs take letters, digits, `_` and `-`, 64 at most.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same without the argument `hashline`, for a host without an edit tool that would use its anchors.
    #[must_use]
    pub fn without_hashline(mut self) -> Self {
        self.anchors = false;
        self
    }

    /// The tool's name: `read`, unless said otherwise.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a model is told, put together from the readers' help.
    pub fn description(&self) -> String {
        describe(&self.registry, &self.limits, self.anchors)
    }

    /// The JSON Schema of the arguments.
    pub fn input_schema(&self) -> Map<String, Value> {
        shape::input(self.anchors)
    }

    /// The JSON Schema of structured content: the text once more, and the details.
    pub fn output_schema(&self) -> Map<String, Value> {
        shape::output()
    }

    /// The definition in the shape of an API.
    pub fn to_json(&self, format: SchemaFormat) -> Value {
        let (name, description, input) = (self.name(), self.description(), self.input_schema());
        match format {
            SchemaFormat::Mcp => json!({
                "name": name,
                "description": description,
                "inputSchema": input,
                "annotations": {
                    "title": TITLE,
                    "readOnlyHint": true,
                    "destructiveHint": false,
                    "idempotentHint": true,
                    "openWorldHint": false,
                },
            }),
            SchemaFormat::Anthropic => {
                json!({ "name": name, "description": description, "input_schema": input })
            }
            SchemaFormat::OpenAi => json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": input },
            }),
            SchemaFormat::Gemini => {
                json!({ "name": name, "description": description, "parameters": shape::for_gemini(&input) })
            }
        }
    }
}

/// What people see where a client lists its tools.
pub(crate) const TITLE: &str = "Read";
