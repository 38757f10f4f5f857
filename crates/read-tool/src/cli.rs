//! The command line: the one module that prints, and the only one that knows a terminal.
mod exit;
mod home;
mod options;
mod print;
mod progress;
#[cfg(feature = "mcp")]
mod serve;
mod tool;

use std::process::ExitCode;

use clap::CommandFactory;

use crate::{Arguments, Cancel, SchemaFormat, ToolDefinition, registry};
use exit::{NOT_READ, USAGE, status};
use options::{Command, OfferOptions, Options, ToolOptions};

/// Runs the program with the process's arguments; gives its exit status: 0 read, 1 not read, 2 usage.
pub fn run() -> ExitCode {
    // A panic inside a reader is answered for as an error; the report of the standard hook would only repeat it.
    std::panic::set_hook(Box::new(|_| {}));
    let options = match Options::parsed() {
        Ok(options) => options,
        Err(error) => {
            // Nobody is left to tell when the streams are closed.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    match options.command {
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(options)) => serve::serve(options),
        Some(Command::Schema { format, offer, tool }) => {
            status(&print::out(&format!("{:#}\n", schema(format.into(), offer, &tool))))
        }
        Some(Command::Readers) => print_readers(),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Options::command(), "read-tool", &mut script);
            status(&print::out(&String::from_utf8_lossy(&script)))
        }
        Some(Command::ManPage) => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Options::command()).render(&mut page);
            status(&rendered.and_then(|()| print::out(&String::from_utf8_lossy(&page))))
        }
        None => {
            if let Some(target) = &options.target {
                let target = options::printable(target);
                read(&options, &target)
            } else {
                let _ = Options::command().print_help();
                ExitCode::from(USAGE)
            }
        }
    }
}

/// The tool as a model is told of it: for the Model Context Protocol, as a server with the same options lists it.
fn schema(format: SchemaFormat, offer: OfferOptions, options: &ToolOptions) -> serde_json::Value {
    let mut definition = ToolDefinition::new(&registry(), &options.limits());
    if let Some(name) = offer.tool_name {
        definition = definition.named(name);
    }
    let mut schema = definition.to_json(format);
    if let (SchemaFormat::Mcp, true, Some(fields)) = (format, offer.structured, schema.as_object_mut()) {
        fields.insert("outputSchema".to_owned(), definition.output_schema().into());
    }
    schema
}

fn print_readers() -> ExitCode {
    let lines = registry()
        .iter()
        // What is left out of this build has nothing to say for itself.
        .filter(|reader| !reader.help().reads.is_empty())
        .map(|reader| format!("{:<10} {:<14} {}\n", reader.name(), reader.package(), reader.help().reads))
        .collect::<Vec<_>>();
    status(&print::out(&lines.concat()))
}

fn read(options: &Options, target: &str) -> ExitCode {
    let tool = match tool::of_one_read(&options.tool) {
        Ok(tool) => tool,
        Err(error) => {
            print::error(&error, options.json);
            return ExitCode::from(USAGE);
        }
    };
    let arguments = Arguments {
        path: target.to_owned(),
        offset: options.offset,
        limit: options.limit,
        encoding: options.encoding.clone(),
        hashline: None,
    };
    let output = tool.prepare(&arguments).and_then(|prepared| tool.run(prepared, &Cancel::new()));
    progress::clear();
    match output {
        Ok(output) => status(&print::output(&output, options.json)),
        Err(error) => {
            print::error(&error, options.json);
            ExitCode::from(NOT_READ)
        }
    }
}
