//! Writes `engine.js` and `engine_bg.wasm` of a module that cargo has built: `ackclock-bindings MODULE FOLDER`.

use std::env::args_os;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<_> = args_os().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("ackclock-bindings: expected a module and a folder");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name("engine")
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    // A classic script, which workers of all browsers load.
    let written = bindgen.no_modules(true).and_then(|bindgen| bindgen.generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ackclock-bindings: {error:#}");
            ExitCode::FAILURE
        }
    }
}
