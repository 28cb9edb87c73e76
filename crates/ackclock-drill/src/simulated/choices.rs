//! Lines at the head of a script that choose its stack and change single choices of the stack.
//!
//! packetdrill itself has no such options, because the kernel determines the stack. Names and values are those of the
//! table of stacks.

use crate::verdict::Stop;
use ackclock_tcp::config::AckRule;
use ackclock_tcp::settings::{SETTINGS, Setting};
use ackclock_tcp::{Config, stack};

/// Settings that the script decides otherwise: it writes the segments of the handshake and sets `TCP_NODELAY`.
const DECIDED_OTHERWISE: [&str; 2] = ["handshake", "nagle"];
/// Settings that the acknowledgment rule of Linux does not use.
const NOT_OF_LINUX: [&str; 2] = ["ack_every", "delayed_ack"];

/// The settings that a line can choose, by name.
fn choices() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| setting.accepts().is_some() && !DECIDED_OTHERWISE.contains(&setting.name))
}

/// The configuration for a script with these lines at its head, starting from the given stack.
pub fn configuration(mut config: Config, lines: &[(String, Option<String>)]) -> Result<Config, Stop> {
    let refused = |name: &str, text: &str, accepted: &str| Stop::Fail(format!("--{name}={text}: accepted: {accepted}"));
    for (name, value) in lines.iter().filter(|(name, _)| name == "stack") {
        let text = value.as_deref().unwrap_or_default();
        let names = || stack::CATALOGUE.iter().map(|stack| stack.name).collect::<Vec<_>>().join(", ");
        config = (stack::by_name(text).ok_or_else(|| refused(name, text, &names()))?.config)();
    }
    for (name, value) in lines {
        let Some(setting) = choices().find(|setting| setting.name == name) else { continue };
        let text = value.as_deref().unwrap_or_default();
        if !setting.set(&mut config, text) {
            return Err(refused(name, text, &setting.accepts().unwrap_or_default()));
        }
    }
    let unused = lines.iter().find(|(name, _)| NOT_OF_LINUX.contains(&name.as_str()));
    if let Some((name, value)) = unused.filter(|_| config.ack_rule == AckRule::Linux) {
        let text = value.as_deref().unwrap_or_default();
        let accepted = format!("no {name} with the acknowledgment rule of Linux, or another --stack or --ack_rule");
        return Err(refused(name, text, &accepted));
    }
    Ok(config)
}

/// Whether a line with this name chooses a stack or one of its choices.
pub fn is_ours(name: &str) -> bool {
    name == "stack" || choices().any(|setting| setting.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_tcp::MILLISECOND;
    use ackclock_tcp::recovery::Recovery;

    fn chosen(lines: &[(&str, &str)]) -> Result<Config, Stop> {
        let lines: Vec<_> = lines.iter().map(|(name, text)| ((*name).to_owned(), Some((*text).to_owned()))).collect();
        configuration((stack::by_name("rfc").unwrap().config)(), &lines)
    }

    fn refused(name: &str, text: &str) -> String {
        match chosen(&[(name, text)]) {
            Err(Stop::Fail(reason)) => reason,
            _ => panic!("--{name}={text} was taken"),
        }
    }

    #[test]
    fn a_line_changes_the_choice_of_its_name_on_the_stack_named_anywhere() {
        let lines = [("recovery", "prr-crb"), ("rack", "off"), ("min_rto", "230ms"), ("stack", "linux")];
        let config = chosen(&lines).unwrap_or_else(|stop| panic!("{stop:?}"));
        assert_eq!((config.recovery, config.rack, config.min_rto), (Recovery::PrrCrb, false, 230 * MILLISECOND));
        assert_eq!((config.tlp, &**config.cc.name()), (true, "cubic-linux"));
    }

    #[test]
    fn delays_are_refused_where_linux_decides_them() {
        let accepted = "no delayed_ack with the acknowledgment rule of Linux, or another --stack or --ack_rule";
        match chosen(&[("delayed_ack", "1ms"), ("stack", "linux")]) {
            Err(Stop::Fail(reason)) => assert_eq!(reason, format!("--delayed_ack=1ms: accepted: {accepted}")),
            _ => panic!("it was taken"),
        }
        for rule in ["rfc5681", "freebsd"] {
            let lines = [("ack_every", "3"), ("stack", "linux"), ("ack_rule", rule)];
            assert_eq!(chosen(&lines).unwrap_or_else(|stop| panic!("{stop:?}")).ack_every, 3);
        }
    }

    #[test]
    fn the_page_lists_the_choices() {
        let page = include_str!("../../../../docs/drill.md");
        let row = |setting: &Setting| {
            let accepted = setting.accepts().expect("choices accept texts");
            let accepted = match accepted.split(", ").count() {
                ..=12 => accepted,
                _ => format!("a name of `ackclock list {}`", setting.name),
            };
            format!("| `{}` | {accepted} | {} |", setting.name, setting.description)
        };
        let mut listed: Vec<&Setting> = choices().collect();
        listed.sort_by_key(|setting| setting.name);
        let rows: Vec<String> = listed.into_iter().map(row).collect();
        let table = format!("| Name | Accepted | Meaning |\n|---|---|---|\n{}\n", rows.join("\n"));
        assert!(page.contains(&table), "the table of docs/drill.md has to be:\n\n{table}");
    }

    #[test]
    fn errors_list_the_accepted_values() {
        assert_eq!(
            refused("recovery", "prr2"),
            "--recovery=prr2: accepted: tahoe, newreno, sack, rate-halving, freebsd-sack, \
             ns2-newreno, ns2-sack, ns2-linux, prr-crb, prr-ssrb, prr"
        );
        assert!(refused("stack", "minix").starts_with("--stack=minix: accepted: rfc, linux, "));
        assert_eq!(refused("rack", ""), "--rack=: accepted: on, off");
        assert_eq!(refused("initial_window", "0"), "--initial_window=0: accepted: 1 to 65535 segments, or rfc6928");
        for text in ["off", "0s", "200", "-1s", "0.2s"] {
            assert_eq!(refused("min_rto", text), format!("--min_rto={text}: accepted: a time such as 200ms or 3s"));
        }
        assert!(refused("delayed_ack", "soon").ends_with("200ms or 3s, or off"));
    }
}
