//! Texts for the regular expressions of a JSON Schema: literals, classes, groups, alternatives and repetitions.

use super::dice::Dice;

/// Maximum number of repetitions that are drawn if an expression has no bound.
const MOST: usize = 6;

/// A regular expression that matches whole texts.
#[derive(Debug)]
pub struct Pattern(Alternatives);

type Alternatives = Vec<Vec<Piece>>;

#[derive(Debug)]
struct Piece {
    atom: Atom,
    least: usize,
    /// Maximum number of repetitions; `None` if there is no bound.
    most: Option<usize>,
}

#[derive(Debug)]
enum Atom {
    /// One character from these ranges.
    Class(Vec<(char, char)>),
    Group(Alternatives),
}

impl Pattern {
    /// Parses an expression.
    ///
    /// # Panics
    /// If the expression uses unsupported syntax; the syntax has to be added here.
    pub fn parse(text: &str) -> Pattern {
        let inner = text.strip_prefix('^').and_then(|text| text.strip_suffix('$'));
        let inner = inner.unwrap_or_else(|| panic!("{text}: an expression for whole texts"));
        let mut reader = Reader { rest: inner, whole: text };
        let alternatives = reader.alternatives();
        assert!(reader.rest.is_empty(), "{text}: {} is left over", reader.rest);
        Pattern(alternatives)
    }

    /// Draws a text that matches.
    pub fn draw(&self, dice: &mut Dice) -> String {
        let mut text = String::new();
        draw(&self.0, dice, &mut text);
        text
    }

    /// Returns whether a text matches.
    pub fn matches(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        ends(&self.0, &chars, 0).contains(&chars.len())
    }

    /// Returns the literal words of the expression, each once; for a quantity these are its units.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        collect_words(&self.0, &mut words);
        words
    }
}

fn draw(alternatives: &Alternatives, dice: &mut Dice, text: &mut String) {
    for piece in dice.of(alternatives) {
        let most = piece.most.unwrap_or(piece.least + MOST).min(piece.least + MOST);
        for _ in 0..piece.least + dice.below(most - piece.least + 1) {
            match &piece.atom {
                Atom::Class(ranges) => {
                    let (from, to) = *dice.of(ranges);
                    let code = from as u32 + dice.below((to as u32 - from as u32 + 1) as usize) as u32;
                    text.push(char::from_u32(code).unwrap_or(from));
                }
                Atom::Group(inner) => draw(inner, dice, text),
            }
        }
    }
}

/// Returns the places at which a match that begins at `from` may end, ascending.
fn ends(alternatives: &Alternatives, text: &[char], from: usize) -> Vec<usize> {
    let mut all = Vec::new();
    for sequence in alternatives {
        let mut places = vec![from];
        for piece in sequence {
            places = repeated(piece, text, places);
        }
        all.extend(places);
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn repeated(piece: &Piece, text: &[char], from: Vec<usize>) -> Vec<usize> {
    let once = |place: usize| match &piece.atom {
        Atom::Class(ranges) => match text.get(place) {
            Some(c) if ranges.iter().any(|(from, to)| (from..=to).contains(&c)) => vec![place + 1],
            _ => Vec::new(),
        },
        Atom::Group(inner) => ends(inner, text, place),
    };
    let (mut now, mut all) = (from, Vec::new());
    for count in 0.. {
        if count >= piece.least {
            all.extend(now.iter().copied());
        }
        if now.is_empty() || piece.most.is_some_and(|most| count >= most) {
            break;
        }
        let mut next: Vec<usize> =
            now.iter().flat_map(|place| once(*place)).filter(|place| !all.contains(place)).collect();
        next.sort_unstable();
        next.dedup();
        now = next;
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn collect_words(alternatives: &Alternatives, words: &mut Vec<String>) {
    for sequence in alternatives {
        let mut word = String::new();
        for piece in sequence {
            match &piece.atom {
                Atom::Class(ranges) if piece.least == 1 && piece.most == Some(1) && ranges.len() == 1 => {
                    let (from, to) = ranges[0];
                    if from == to && from != '.' {
                        word.push(from);
                    }
                }
                Atom::Class(_) => {}
                Atom::Group(inner) => collect_words(inner, words),
            }
        }
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    whole: &'a str,
}

impl Reader<'_> {
    fn alternatives(&mut self) -> Alternatives {
        let mut all = vec![Vec::new()];
        while let Some(next) = self.rest.chars().next() {
            match next {
                ')' => break,
                '|' => {
                    self.skip();
                    all.push(Vec::new());
                }
                _ => {
                    let atom = self.atom();
                    let (least, most) = self.repetition();
                    all.last_mut().expect("not empty").push(Piece { atom, least, most });
                }
            }
        }
        all
    }

    fn skip(&mut self) -> char {
        let next = self.rest.chars().next().unwrap_or_else(|| panic!("{}: ends early", self.whole));
        self.rest = &self.rest[next.len_utf8()..];
        next
    }

    fn atom(&mut self) -> Atom {
        match self.skip() {
            '(' => {
                let inner = self.alternatives();
                assert_eq!(self.skip(), ')', "{}", self.whole);
                Atom::Group(inner)
            }
            '[' => {
                let mut ranges = Vec::new();
                loop {
                    let from = self.skip();
                    if from == ']' {
                        return Atom::Class(ranges);
                    }
                    let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
                    let to = if is_range {
                        self.skip();
                        self.skip()
                    } else {
                        from
                    };
                    ranges.push((from, to));
                }
            }
            '\\' => match self.skip() {
                's' => Atom::Class(vec![(' ', ' ')]),
                '.' => Atom::Class(vec![('.', '.')]),
                other => panic!("{}: \\{other} is unknown", self.whole),
            },
            special @ ('.' | '*' | '+' | '?' | '^' | '$') => panic!("{}: {special} is unknown", self.whole),
            literal => Atom::Class(vec![(literal, literal)]),
        }
    }

    /// Consumes the next character and returns the bounds for which it stands.
    fn bounds(&mut self, least: usize, most: Option<usize>) -> (usize, Option<usize>) {
        self.skip();
        (least, most)
    }

    fn repetition(&mut self) -> (usize, Option<usize>) {
        match self.rest.chars().next() {
            Some('?') => self.bounds(0, Some(1)),
            Some('*') => self.bounds(0, None),
            Some('+') => self.bounds(1, None),
            Some('{') => {
                let end = self.rest.find('}').unwrap_or_else(|| panic!("{}: no end of a bound", self.whole));
                let bounds = self.rest[1..end].to_owned();
                self.rest = &self.rest[end + 1..];
                let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{}: {text}", self.whole));
                match bounds.split_once(',') {
                    None => (number(&bounds), Some(number(&bounds))),
                    Some((least, "")) => (number(least), None),
                    Some((least, most)) => (number(least), Some(number(most))),
                }
            }
            _ => (1, Some(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = r"^\s*(0*[1-9][0-9]*(\.[0-9]+)?|0+\.0*[1-9][0-9]*)\s*(ns|us|ms|s)\s*$";
    const LABEL: &str = "^[A-Za-z0-9_+-]([A-Za-z0-9 _+-]{0,62}[A-Za-z0-9_+-])?$";

    #[test]
    fn texts_match_and_others_do_not() {
        for (pattern, good, bad) in [
            (TIME, ["1s", " 0.05 ms", "100us "], ["0s", "1", "s"]),
            (LABEL, ["a", "a b", "left-1"], ["", " a", "a."]),
            ("^[0-9a-f]{4}$", ["0123", "abcd", "0f0f"], ["012", "01234", "xxxx"]),
        ] {
            let pattern = Pattern::parse(pattern);
            for text in good {
                assert!(pattern.matches(text), "{text:?}");
            }
            for text in bad {
                assert!(!pattern.matches(text), "{text:?}");
            }
        }
    }

    #[test]
    fn what_is_drawn_matches() {
        let mut dice = Dice::new(1, "pattern");
        for pattern in [TIME, LABEL, r"^\s*(unlimited|[0-9]+\s*bdp)\s*$"].map(Pattern::parse) {
            for _ in 0..200 {
                let text = pattern.draw(&mut dice);
                assert!(pattern.matches(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn units_are_words() {
        assert_eq!(Pattern::parse(TIME).words(), ["ns", "us", "ms", "s"]);
        assert_eq!(
            Pattern::parse(r"^\s*(unlimited|[0-9]+\s*bdp|[0-9]+\s*(packets|p))\s*$").words(),
            ["unlimited", "bdp", "packets", "p"]
        );
    }
}
