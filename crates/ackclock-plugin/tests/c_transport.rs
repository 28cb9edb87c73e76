//! The transport in C that `ackclock new transport` writes, compiled with the system's compiler.

use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;

use ackclock_plugin::transports;
use ackclock_transport::conformance::{Outcome, check};
use ackclock_transport::{Parameters, Range, Role, Setup, Value, abi};

/// The folder of the template.
fn template() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/ackclock/cc/templates/transport")
}

/// Compiles a source with the arguments into a file of the folder for tests; `None` if the compiler is not installed.
fn compiled(compiler: &str, source: &Path, file: &str, arguments: &[&str]) -> Option<PathBuf> {
    if Command::new(compiler).arg("--version").output().is_err() {
        println!("skipped: the compiler {compiler} is not installed");
        return None;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let mut command = Command::new(compiler);
    command.args(arguments).args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(template());
    let done = command.arg("-o").arg(&file).arg(source).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(file)
}

fn source(file: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&path, text).unwrap();
    path
}

const LIBRARY: [&str; 4] = ["-std=c99", "-O2", "-shared", "-fPIC"];

#[test]
fn the_template_obeys_the_contract() {
    let Some(library) = compiled("cc", &template().join("transport.c"), "template.so", &LIBRARY) else { return };
    let stacks = transports(&library).unwrap();
    let [stack] = &stacks[..] else { panic!("{} stacks", stacks.len()) };
    let about = (stack.name(), stack.summary(), stack.source(), stack.overhead());
    assert_eq!(about, ("template-name", "go-back-N with AIMD", "0.1.0", 28));
    let [window] = stack.parameters() else { panic!("{:?}", stack.parameters()) };
    assert_eq!((window.name.as_str(), &window.range), ("initial-window", &Range::Numbers(1.0, 100.0)));
    let report = check(&**stack);
    let passed = report.cases.iter().filter(|case| case.outcome == Outcome::Pass).count();
    assert_eq!((passed, report.cases.len()), (15, 19), "{report}");
    // Values of parameters reach the library, and so do the reasons of create.
    let setup = |datagram, window: f64| {
        let mut parameters = Parameters::default();
        parameters.0.insert("initial-window".to_owned(), Value::Number(window));
        let setup = Setup { role: Role::Client, seed: [1; 32], datagram, parameters: &parameters, log: false };
        stack.create(0, &setup).map(|end| end.statistics().window)
    };
    assert_eq!(setup(1_037, 4.0), Ok(Some(4_000)));
    assert_eq!(setup(1_037, 101.0), Err("initial-window = Number(101.0) is not accepted".to_owned()));
    let small = "template-name: datagrams of 100 bytes are too small; accepted: at least 137";
    assert_eq!(setup(100, 4.0), Err(small.to_owned()));
}

#[test]
fn a_library_that_is_not_one_of_transports_is_told() {
    for (name, text, words) in [
        (
            "none",
            "int other;",
            "it exports no ACKCLOCK_PLUGIN, so it is not a library for ackclock; accepted: a library that calls",
        ),
        (
            "kind",
            "#include \"ackclock_transport.h\"\n\
             ACKCLOCK_EXPORT const ackclock_header ACKCLOCK_PLUGIN = {\"ackcloc\", 1, 1, \"\", 1};",
            "does not begin with \"ackclock\"",
        ),
        (
            "version",
            "#include \"ackclock_transport.h\"\n#undef ACKCLOCK_TRANSPORT_VERSION\n\
             #define ACKCLOCK_TRANSPORT_VERSION 9u\nstatic const ackclock_stack stacks[1];\nACKCLOCK_TRANSPORTS(stacks);",
            "built for version 9 of the ABI of transports, and this ackclock has version 2",
        ),
        (
            "older",
            "#include \"ackclock_transport.h\"\n#undef ACKCLOCK_TRANSPORT_VERSION\n\
             #define ACKCLOCK_TRANSPORT_VERSION 1u\nstatic const ackclock_stack stacks[1];\nACKCLOCK_TRANSPORTS(stacks);",
            "built for version 1 of the ABI of transports, and this ackclock has version 2; accepted: a library that is \
             built with the ackclock_transport.h that `ackclock new transport NAME` writes",
        ),
        (
            "empty",
            "#include \"ackclock_transport.h\"\nstatic const ackclock_stack stacks[1];\nACKCLOCK_TRANSPORTS(stacks);",
            "\"\" is no name of a transport; accepted: lower-case letters",
        ),
        (
            "missing",
            "#include \"ackclock_transport.h\"\n\
             static const ackclock_stack stacks[] = {{.name = ACKCLOCK_TEXT(\"mine\")}};\nACKCLOCK_TRANSPORTS(stacks);",
            "transport mine has no function create; accepted: all except take_log, open_unidirectional, prioritize and reset",
        ),
    ] {
        let source = source(&format!("{name}.c"), text);
        let arguments = [&LIBRARY[..], &["-Wno-missing-field-initializers"]].concat();
        let Some(library) = compiled("cc", &source, &format!("{name}.so"), &arguments) else { return };
        let message = transports(&library).map(|_| ()).unwrap_err();
        assert!(message.contains(words), "{name}: {message}");
    }
}

/// Names, offsets and sizes of structures, in C and in Rust.
macro_rules! layout {
    ($($name:ident as $c:ident: $($field:ident)*;)*) => {
        vec![$((format!("sizeof({})", stringify!($c)), size_of::<abi::$name>()),
            $((format!("offsetof({}, {})", stringify!($c), stringify!($field)), offset_of!(abi::$name, $field)),)*)*]
    };
}

#[test]
fn the_structures_have_the_layout_of_c_and_cpp() {
    let rows: Vec<(String, usize)> = layout! {
        Text as ackclock_text: start length;
        Name as ackclock_name: name summary;
        Parameter as ackclock_parameter: name summary kind least most default_number names name_count default_name;
        Value as ackclock_value: kind number name;
        Setup as ackclock_setup: role datagram seed values value_count log;
        Transmit as ackclock_transmit: ecn payload retransmission;
        Event as ackclock_event: kind stream reason code;
        Statistics as ackclock_statistics: window threshold in_flight srtt rtt_variation latest_rtt min_rtt pacing_rate
            delivery_rate lost retransmitted timeouts reductions state;
        Stack as ackclock_stack: name summary source parameters parameter_count overhead create destroy error connect
            receive transmit timeout expire open write finish read close poll statistics take_log
            open_unidirectional prioritize reset;
    };
    let lines: String = rows.iter().map(|(what, _)| format!("printf(\"%u\\n\", (unsigned){what});\n")).collect();
    let main =
        format!("#include \"ackclock_transport.h\"\n#include <stdio.h>\nint main(void) {{\n{lines}return 0;\n}}\n");
    let expected: Vec<String> = rows.iter().map(|(_, value)| value.to_string()).collect();
    for (compiler, name, standard) in [("cc", "layout.c", "-std=c99"), ("c++", "layout.cpp", "-std=c++11")] {
        let Some(program) = compiled(compiler, &source(name, &main), &format!("{name}.out"), &[standard]) else {
            continue;
        };
        let output = Command::new(program).output().unwrap().stdout;
        let found: Vec<String> = String::from_utf8(output).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(found, expected, "{compiler}");
    }
}

/// A library in C++ exports the symbol, and its functions have C's linkage.
#[test]
fn a_library_in_cpp_can_be_opened() {
    let text = "#include \"ackclock_transport.h\"\n\
        static const ackclock_stack stacks[] = {{ACKCLOCK_TEXT(\"mine\"), ACKCLOCK_TEXT(\"\"), ACKCLOCK_TEXT(\"1\")}};\n\
        ACKCLOCK_TRANSPORTS(stacks);\n";
    let arguments = ["-std=c++11", "-shared", "-fPIC", "-Wno-missing-field-initializers"];
    let Some(library) = compiled("c++", &source("mine.cpp", text), "mine-cpp.so", &arguments) else { return };
    let message = transports(&library).map(|_| ()).unwrap_err();
    assert_eq!(
        message,
        "transport mine has no function create; accepted: all except take_log, open_unidirectional, prioritize and reset"
    );
}
