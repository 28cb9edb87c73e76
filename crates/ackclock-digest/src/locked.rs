//! The dependencies of a crate with their locked versions.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Returns the names in the section `[dependencies]` of a manifest.
pub(crate) fn named(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut within = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            within = line == "[dependencies]";
        } else if within && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
    }
    names
}

/// One package of a lock file: its versions, each with the names of its dependencies.
type Packages = BTreeMap<String, Vec<(String, Vec<String>)>>;

/// Returns the versions of the packages that are reached from `names`, without the crates of this workspace: `name
/// version`, in order.
pub(crate) fn closure(lock: &str, names: Vec<String>) -> io::Result<BTreeSet<String>> {
    let packages = packages(lock);
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = names;
    while let Some(name) = open.pop() {
        if name.starts_with("ackclock-") || !seen.insert(name.clone()) {
            continue;
        }
        let versions = packages
            .get(&name)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("Cargo.lock has no package {name}")))?;
        for (version, dependencies) in versions {
            found.insert(format!("{name} {version}"));
            open.extend(dependencies.iter().cloned());
        }
    }
    Ok(found)
}

fn packages(lock: &str) -> Packages {
    let mut packages = Packages::new();
    for block in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
            line.map_or(String::new(), |value| value.trim().trim_matches('"').to_owned())
        };
        // An entry is a name, or a name and a version if there are several versions.
        let dependencies = block
            .split_once("dependencies = [")
            .and_then(|(_, rest)| rest.split_once(']'))
            .map_or("", |(inside, _)| inside);
        let name = |entry: &str| {
            let name = entry.trim().trim_matches('"').split(' ').next().unwrap_or_default();
            (!name.is_empty()).then(|| name.to_owned())
        };
        let dependencies = dependencies.split(',').filter_map(name).collect();
        packages.entry(value("name")).or_default().push((value("version"), dependencies));
    }
    packages
}
