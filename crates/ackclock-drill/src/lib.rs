//! packetdrill scripts run against an [`ackclock_tcp::Endpoint`] in virtual time.

pub mod ast;
pub mod lexer;
pub mod parse;
#[cfg(test)]
mod tests {
    #[test]
    fn pk() {
        for root in ["/tmp/pd/linux/tools", "/tmp/pd/gtests"] {
            let mut dirs = vec![std::path::PathBuf::from(root)];
            while let Some(d) = dirs.pop() {
                for e in std::fs::read_dir(d).unwrap() {
                    let p = e.unwrap().path();
                    if p.is_dir() { dirs.push(p) } else if p.extension().is_some_and(|e| e == "pkt") {
                        if let Err(e) = crate::parse::script(&std::fs::read_to_string(&p).unwrap(), &[]) { println!("{} {e:?}", p.display()); }
                    }
                }
            }
        }
    }
}
