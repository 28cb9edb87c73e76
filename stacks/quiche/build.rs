//! Redirects quiche's calls for the time, the date and random numbers to `src/system.rs`.

/// Functions whose callers in this library get `__wrap_NAME`, as the linker's option `--wrap` says.
const REDIRECTED: [&str; 4] = ["RAND_bytes", "clock_gettime", "gettimeofday", "time"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in REDIRECTED {
        println!("cargo:rustc-link-arg=-Wl,--wrap={name}");
    }
}
