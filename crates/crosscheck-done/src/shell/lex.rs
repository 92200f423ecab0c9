//! Words and operators of a command line, as a POSIX shell would cut them.

use std::collections::VecDeque;

/// Stands for `$?` in a word; where it was expanded, it prints a number.
pub(super) const STATUS: char = '\u{E000}';
/// Stands for `${PIPESTATUS[0]}`.
pub(super) const FIRST_STATUS: char = '\u{E001}';

/// Stands for the root of the repository.
pub(crate) const TOP: &str = "$TOP";

/// A command line that we cannot cut with certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unparsed;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// `&&`, `||`, `|`, `;`, `&`, `(`, `)`, newline as `\n`.
    Op(&'static str),
    /// A redirection: the operator and the word behind it.
    Redirect(&'static str, Word),
}

/// A word without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether any part of it was quoted: then it is not a keyword.
    pub(super) quoted: bool,
    /// Commands inside of `$( )` and back-quotes.
    pub(super) inner: Vec<String>,
}

pub(super) fn lex(line: &str) -> Result<VecDeque<Token>, Unparsed> {
    let mut lexer = Lexer {
        rest: line.chars().collect(),
        tokens: VecDeque::new(),
        bodies: VecDeque::new(),
    };
    lexer.run()?;
    Ok(lexer.tokens)
}

struct Lexer {
    rest: VecDeque<char>,
    tokens: VecDeque<Token>,
    /// Here-documents whose bodies begin at the next line: the word that ends
    /// each, whether tabs before it are left out, and their token.
    bodies: VecDeque<(String, bool, usize)>,
}

impl Lexer {
    fn peek(&self, nth: usize) -> Option<char> {
        self.rest.get(nth).copied()
    }

    fn take(&mut self, text: &str) -> bool {
        let fits = text
            .chars()
            .enumerate()
            .all(|(nth, c)| self.peek(nth) == Some(c));
        if fits {
            self.rest.drain(..text.chars().count());
        }
        fits
    }

    fn run(&mut self) -> Result<(), Unparsed> {
        while let Some(first) = self.peek(0) {
            match first {
                ' ' | '\t' | '\r' => {
                    self.rest.pop_front();
                }
                '\\' if self.peek(1) == Some('\n') => {
                    self.rest.drain(..2);
                }
                '\n' => {
                    self.rest.pop_front();
                    self.tokens.push_back(Token::Op("\n"));
                    self.skip_bodies();
                }
                '#' => self.skip_comment(),
                _ if self.operator() => {}
                _ if self.redirect()? => {}
                _ => {
                    let word = self.word()?;
                    self.tokens.push_back(Token::Word(word));
                }
            }
        }
        Ok(())
    }

    fn skip_comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.rest.pop_front();
        }
    }

    fn operator(&mut self) -> bool {
        // `&>` is a redirection
        if self.peek(0) == Some('&') && self.peek(1) == Some('>') {
            return false;
        }
        for op in ["&&", "||", ";;", "|&", "|", ";", "&", "(", ")"] {
            if self.take(op) {
                let op = match op {
                    ";;" => ";",
                    "|&" => "|",
                    op => op,
                };
                self.tokens.push_back(Token::Op(op));
                return true;
            }
        }
        false
    }

    fn redirect(&mut self) -> Result<bool, Unparsed> {
        let digits = self.rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let is_fd = digits > 0 && matches!(self.peek(digits), Some('<' | '>'));
        let is_op = matches!(self.peek(0), Some('<' | '>'))
            || (self.peek(0) == Some('&') && self.peek(1) == Some('>'));
        if !(is_fd || is_op) {
            return Ok(false);
        }
        let from_error = is_fd && self.peek(0) == Some('2');
        if is_fd {
            self.rest.drain(..digits);
        }
        // `<( )` and `>( )` are processes
        if matches!(self.peek(0), Some('<' | '>')) && self.peek(1) == Some('(') {
            return Err(Unparsed);
        }
        let ops = [
            "&>>", "&>", "<<<", "<<-", "<<", "<&", ">&", ">>", ">|", "<>", ">", "<",
        ];
        let Some(op) = ops.into_iter().find(|op| self.take(op)) else {
            return Err(Unparsed);
        };
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.rest.pop_front();
        }
        let target = self.word()?;
        match op {
            "<<" | "<<-" => {
                let token = self.tokens.len();
                self.bodies.push_back((target.text, op == "<<-", token));
                self.tokens
                    .push_back(Token::Redirect("<<", Word::default()));
            }
            ">" | ">|" | "&>" if !from_error => self.tokens.push_back(Token::Redirect(">", target)),
            ">>" | "&>>" if !from_error => self.tokens.push_back(Token::Redirect(">>", target)),
            // `2>&1`, `>&2`: no file; `2> file` is one, but of messages
            ">&" | "<&" => {}
            ">" | ">>" | ">|" => self.tokens.push_back(Token::Redirect("2>", target)),
            _ => self.tokens.push_back(Token::Redirect("<", target)),
        }
        Ok(true)
    }

    /// Bodies of here-documents are data.
    fn skip_bodies(&mut self) {
        while let Some((end, tabs, token)) = self.bodies.pop_front() {
            let mut body = String::new();
            loop {
                let length = self
                    .rest
                    .iter()
                    .position(|c| *c == '\n')
                    .unwrap_or(self.rest.len());
                let line: String = self.rest.drain(..length).collect();
                let is_over = self.rest.pop_front().is_none();
                let shown = if tabs {
                    line.trim_start_matches('\t')
                } else {
                    &line
                };
                if shown == end || is_over {
                    break;
                }
                body.push_str(shown);
                body.push('\n');
            }
            if let Some(Token::Redirect(_, word)) = self.tokens.get_mut(token) {
                word.text = body;
            }
        }
    }

    fn word(&mut self) -> Result<Word, Unparsed> {
        let mut word = Word::default();
        let mut any = false;
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    self.rest.pop_front();
                    match self.rest.pop_front() {
                        Some('\n') | None => {}
                        Some(c) => {
                            word.text.push(c);
                            word.quoted = true;
                        }
                    }
                }
                '\'' => self.single(&mut word)?,
                '"' => self.double(&mut word)?,
                '$' => self.dollar(&mut word)?,
                '`' => self.back_quoted(&mut word)?,
                c => {
                    self.rest.pop_front();
                    word.text.push(c);
                }
            }
            any = true;
        }
        if any { Ok(word) } else { Err(Unparsed) }
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Unparsed> {
        self.rest.pop_front();
        word.quoted = true;
        loop {
            match self.rest.pop_front() {
                Some('\'') => return Ok(()),
                Some(c) => word.text.push(c),
                None => return Err(Unparsed),
            }
        }
    }

    fn double(&mut self, word: &mut Word) -> Result<(), Unparsed> {
        self.rest.pop_front();
        word.quoted = true;
        loop {
            match self.peek(0) {
                Some('"') => {
                    self.rest.pop_front();
                    return Ok(());
                }
                Some('\\') => {
                    self.rest.pop_front();
                    match self.rest.pop_front() {
                        Some(c @ ('"' | '\\' | '$' | '`')) => word.text.push(c),
                        Some('\n') => {}
                        Some(c) => word.text.extend(['\\', c]),
                        None => return Err(Unparsed),
                    }
                }
                Some('$') => self.dollar(word)?,
                Some('`') => self.back_quoted(word)?,
                Some(c) => {
                    self.rest.pop_front();
                    word.text.push(c);
                }
                None => return Err(Unparsed),
            }
        }
    }

    fn dollar(&mut self, word: &mut Word) -> Result<(), Unparsed> {
        if self.take("$?") {
            word.text.push(STATUS);
        } else if self.take("${PIPESTATUS[0]}") || self.take("${PIPESTATUS}") {
            word.text.push(FIRST_STATUS);
        } else if self.take("$((") {
            let inner = self.until(')')?;
            if !self.take(")") {
                return Err(Unparsed);
            }
            word.text.push_str("$((");
            word.text.push_str(&inner);
            word.text.push_str("))");
        } else if self.take("$(") {
            let inner = self.until(')')?;
            // folders that can be told
            let told = match inner.trim() {
                "pwd" => Some("$PWD"),
                "git rev-parse --show-toplevel" => Some(TOP),
                _ => None,
            };
            if let Some(told) = told {
                word.text.push_str(told);
                return Ok(());
            }
            word.text.push_str("$()");
            word.inner.push(inner);
        } else if self.take("${") {
            let inner = self.until('}')?;
            word.text.push_str("${");
            word.text.push_str(&inner);
            word.text.push('}');
        } else {
            self.rest.pop_front();
            word.text.push('$');
        }
        Ok(())
    }

    fn back_quoted(&mut self, word: &mut Word) -> Result<(), Unparsed> {
        self.rest.pop_front();
        let mut inner = String::new();
        loop {
            match self.rest.pop_front() {
                Some('`') => break,
                Some('\\') => inner.extend(self.rest.pop_front()),
                Some(c) => inner.push(c),
                None => return Err(Unparsed),
            }
        }
        word.text.push_str("$()");
        word.inner.push(inner);
        Ok(())
    }

    /// Everything up to the bracket that closes, which is left out.
    fn until(&mut self, close: char) -> Result<String, Unparsed> {
        let open = if close == ')' { '(' } else { '{' };
        let mut depth = 1_usize;
        let mut text = String::new();
        let mut quote: Option<char> = None;
        while let Some(c) = self.rest.pop_front() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(mark), c) if mark == c => quote = None,
                (Some('\''), _) => {}
                (_, '\\') => {
                    text.push(c);
                    text.extend(self.rest.pop_front());
                    continue;
                }
                (None, c) if c == open => depth += 1,
                (None, c) if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(text);
                    }
                }
                _ => {}
            }
            text.push(c);
        }
        Err(Unparsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        let Ok(tokens) = lex(line) else {
            return "unparsed".to_owned();
        };
        let is_body = |token: &&Token| matches!(token, Token::Redirect("<<", _));
        let tokens = tokens.iter().filter(|token| !is_body(token));
        let shown = tokens.map(|token| match token {
            Token::Word(word) => format!("[{}]", word.text),
            Token::Op("\n") => "NL".to_owned(),
            Token::Op(op) => (*op).to_owned(),
            Token::Redirect(op, target) => format!("{op}{}", target.text),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_cut_as_a_shell_cuts_them() {
        for (line, expected) in [
            ("a 'b c' \"d $x\" e\\ f", "[a] [b c] [d $x] [e f]"),
            ("a&&b||c;d|e&", "[a] && [b] || [c] ; [d] | [e] &"),
            ("a > f 2>&1", "[a] >f"),
            ("a &> f 2> g < h", "[a] >f 2>g <h"),
            ("a # not this\nb", "[a] NL [b]"),
            ("cat <<'EOF' > f\npytest\nEOF\nb", "[cat] >f NL [b]"),
            ("cat <<-E\n\tx\n\tE\nb", "[cat] NL [b]"),
            ("a $(b 'c)') `d`", "[a] [$()] [$()]"),
            ("a \\\n b", "[a] [b]"),
            ("a#b", "[a#b]"),
            ("'unclosed", "unparsed"),
            ("$(unclosed", "unparsed"),
            ("diff <(a) <(b)", "unparsed"),
            ("x=$((1+2))", "[x=$((1+2))]"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}
