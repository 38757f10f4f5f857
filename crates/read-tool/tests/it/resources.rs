//! Embedded resources and the pointers to them.

use read_tool::{Arguments, ErrorCode, MemoryFileSystem, ReadTool, skills};

fn tool(files: MemoryFileSystem) -> ReadTool {
    ReadTool::builder().workspace(files).resources(skills()).build().unwrap()
}

#[test]
fn resources_take_selectors_and_need_no_permission() {
    let tool = tool(MemoryFileSystem::new());
    let prepared = tool.prepare(&Arguments::new("builtin://skills/read-tool/SKILL.md:1-1")).unwrap();
    assert!(prepared.requirements().is_empty());
    let output = tool.read("builtin://skills/read-tool/SKILL.md:1-1").unwrap();
    assert!(output.to_text().starts_with("# Reading with `read`\n"));
    assert!(output.to_text().contains("more lines in resource. Use :2- to continue."));
    assert_eq!(output.details.path, "builtin://skills/read-tool/SKILL.md");
}

#[test]
fn what_is_not_registered_is_not_found() {
    let error = tool(MemoryFileSystem::new()).read("builtin://skills/nope/SKILL.md").unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
    assert_eq!(error.suggestions(), ["builtin://skills/read-tool/SKILL.md"]);
}

#[test]
fn a_pointer_to_its_own_directorys_skill_is_followed() {
    for line in [
        "builtin://skills/read-tool/SKILL.md",
        "builtin://skills/read-tool/SKILL.md\n",
        "builtin://skills/read-tool/SKILL.md\r\n",
    ] {
        let tool = tool(MemoryFileSystem::new().with("s/read-tool/SKILL.md.pointer", line));
        let prepared = tool.prepare(&Arguments::new("s/read-tool/SKILL.md:1-1")).unwrap();
        assert_eq!(prepared.requirements()[0].path, "s/read-tool/SKILL.md.pointer");
        assert!(
            tool.read("s/read-tool/SKILL.md:1-1").unwrap().to_text().starts_with("# Reading"),
            "{line:?}"
        );
    }
}

#[test]
fn any_other_pointer_is_refused_aloud() {
    let name = "builtin://skills/read-tool/SKILL.md";
    for (directory, content) in [
        ("other", name.to_owned()),
        ("read-tool", "/etc/passwd\n".to_owned()),
        ("read-tool", String::new()),
        ("read-tool", format!("{name}\n{name}\n")),
        ("read-tool", format!(" {name}")),
        ("read-tool", format!("{name}:raw")),
        ("nope", "builtin://skills/nope/SKILL.md".to_owned()),
        ("read-tool", "x".repeat(2_000)),
    ] {
        let tool =
            tool(MemoryFileSystem::new().with(format!("s/{directory}/SKILL.md.pointer"), content.clone()));
        let error = tool.read(&format!("s/{directory}/SKILL.md")).unwrap_err();
        assert_eq!(error.code(), ErrorCode::PointerRefused, "{directory} {content:?}");
        assert!(!error.message().contains("passwd"));
    }
}

#[test]
fn a_file_beats_the_pointer_beside_it() {
    let files = MemoryFileSystem::new()
        .with("s/read-tool/SKILL.md", "mine\n")
        .with("s/read-tool/SKILL.md.pointer", "junk");
    assert_eq!(tool(files).read("s/read-tool/SKILL.md").unwrap().to_text(), "mine\n");
}
