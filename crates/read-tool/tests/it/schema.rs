//! What a model is told about the tool, pinned: changing it is a breaking change.

use std::fs;
use std::path::PathBuf;

use read_tool::{Limits, Registry, SchemaFormat, ToolDefinition, registry};
use serde_json::Value;

const FORMATS: [(&str, SchemaFormat); 4] = [
    ("mcp", SchemaFormat::Mcp),
    ("anthropic", SchemaFormat::Anthropic),
    ("openai", SchemaFormat::OpenAi),
    ("gemini", SchemaFormat::Gemini),
];

/// Compares with `tests/golden/schema/{set}.{format}.json`; with `READ_TOOL_BLESS=1` writes them anew.
fn matches_golden(set: &str, definition: &ToolDefinition) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/schema");
    for (name, format) in FORMATS {
        let file = folder.join(format!("{set}.{name}.json"));
        let now = definition.to_json(format);
        if std::env::var_os("READ_TOOL_BLESS").is_some() {
            fs::write(&file, format!("{now:#}\n")).unwrap();
        }
        let golden: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(
            now,
            golden,
            "{} is out of date: if that is meant, run the tests with READ_TOOL_BLESS=1",
            file.display()
        );
    }
}

#[test]
fn the_smallest_tool() {
    let definition = ToolDefinition::new(&Registry::core(), &Limits::default());
    #[cfg(feature = "hashline")]
    let definition = definition.without_hashline();
    matches_golden("core", &definition);
}

#[cfg(all(feature = "archive", feature = "hashline", feature = "image", feature = "sqlite"))]
#[test]
fn the_whole_tool() {
    let definition = ToolDefinition::new(&registry(), &Limits::default());
    matches_golden("full", &definition);
}

#[test]
fn it_is_short_and_says_what_a_model_needs() {
    let text = ToolDefinition::new(&registry(), &Limits::default()).description();
    assert!(text.len() <= 2_560, "{} bytes", text.len());
    for needed in
        [":200-260", ":-50", ":raw", ":@4096+1024", ":hex", ":stat", "offset=2001", "`limit`", "error"]
    {
        assert!(text.contains(needed), "{needed}: {text}");
    }
    for reader in registry().iter() {
        assert!(text.contains(reader.help().reads), "{}: {text}", reader.name());
    }
}

#[test]
fn no_word_of_what_is_not_built_in() {
    for (_, format) in FORMATS {
        let definition = ToolDefinition::new(&Registry::core(), &Limits::default());
        #[cfg(feature = "hashline")]
        let definition = definition.without_hashline();
        let text = definition.to_json(format).to_string().to_lowercase();
        let words: Vec<_> = text.split(|c: char| !c.is_alphanumeric()).collect();
        for word in [
            "zip", "tar", "gz", "archive", "sqlite", "database", "table", "row", "rows", "image", "png",
            "hashline",
        ] {
            assert!(!words.contains(&word), "{word}: {text}");
        }
    }
}

#[test]
fn what_the_schema_offers_is_what_the_arguments_take() {
    let schema = ToolDefinition::new(&registry(), &Limits::default()).input_schema();
    let mut arguments = serde_json::Map::new();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let value = match property["type"].as_str().unwrap() {
            "integer" => Value::from(1),
            "boolean" => Value::from(true),
            _ => Value::from("utf-8"),
        };
        arguments.insert(name.clone(), value);
    }
    read_tool::Arguments::from_json(&Value::Object(arguments)).unwrap();
    assert_eq!(schema["properties"].get("hashline").is_some(), cfg!(feature = "hashline"));
}

#[test]
fn a_host_may_rename_it() {
    let definition = ToolDefinition::new(&Registry::core(), &Limits::default()).named("view");
    assert_eq!(definition.to_json(SchemaFormat::OpenAi)["function"]["name"], "view");
    assert_eq!(
        definition.to_json(SchemaFormat::Gemini)["parameters"]["properties"]["offset"]["type"],
        "INTEGER"
    );
}
