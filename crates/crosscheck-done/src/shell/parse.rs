//! Lists, pipelines and groups of a command line.

use std::collections::VecDeque;

use super::lex::{Token, Unparsed, Word, lex};

/// How deep commands may be nested.
const MAX_DEPTH: usize = 12;

/// Commands one after the other.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) items: Vec<(Pipeline, Joint)>,
}

/// What follows a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
    Then,
    Background,
}

#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) nodes: Vec<Node>,
    /// `! command`: its status is turned around.
    pub(super) negated: bool,
}

#[derive(Debug)]
pub(super) enum Node {
    Simple(Simple),
    /// `( )` and `{ }`: the list, and whether it is a shell of its own.
    Group(List, bool),
    /// Bodies of `if`, `for`, `while`: they run, or they do not.
    Compound(Vec<List>),
    /// A function of this name.
    Function(String),
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<(&'static str, String)>,
}

pub(super) fn parse(line: &str) -> Result<List, Unparsed> {
    let mut parser = Parser {
        tokens: lex(line)?,
        depth: 0,
    };
    let list = parser.list(&[])?;
    if parser.tokens.is_empty() {
        Ok(list)
    } else {
        Err(Unparsed)
    }
}

struct Parser {
    tokens: VecDeque<Token>,
    depth: usize,
}

impl Parser {
    fn op(&self) -> Option<&'static str> {
        match self.tokens.front() {
            Some(Token::Op(op)) => Some(op),
            _ => None,
        }
    }

    /// The next word, if it may be a keyword.
    fn keyword(&self) -> Option<&str> {
        match self.tokens.front() {
            Some(Token::Word(word)) if !word.quoted => Some(&word.text),
            _ => None,
        }
    }

    fn take_keyword(&mut self, words: &[&str]) -> bool {
        let fits = self.keyword().is_some_and(|word| words.contains(&word));
        if fits {
            self.tokens.pop_front();
        }
        fits
    }

    fn skip_breaks(&mut self) {
        while matches!(self.op(), Some("\n" | ";")) {
            self.tokens.pop_front();
        }
    }

    fn list(&mut self, ends: &[&str]) -> Result<List, Unparsed> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unparsed);
        }
        let mut list = List::default();
        loop {
            self.skip_breaks();
            let over = self.tokens.is_empty()
                || self.op() == Some(")")
                || self.keyword().is_some_and(|word| ends.contains(&word));
            if over {
                break;
            }
            let pipeline = self.pipeline()?;
            let joint = match self.op() {
                Some("&&") => Joint::And,
                Some("||") => Joint::Or,
                Some("&") => Joint::Background,
                _ => Joint::Then,
            };
            if matches!(self.op(), Some("&&" | "||" | "&" | ";" | "\n")) {
                self.tokens.pop_front();
            } else if !self.tokens.is_empty()
                && self.op() != Some(")")
                && !self.keyword().is_some_and(|word| ends.contains(&word))
            {
                return Err(Unparsed);
            }
            list.items.push((pipeline, joint));
        }
        self.depth -= 1;
        Ok(list)
    }

    fn pipeline(&mut self) -> Result<Pipeline, Unparsed> {
        let mut pipeline = Pipeline {
            nodes: Vec::new(),
            negated: false,
        };
        while self.op() == Some("\n") {
            self.tokens.pop_front();
        }
        while self.take_keyword(&["!"]) {
            pipeline.negated = !pipeline.negated;
        }
        loop {
            pipeline.nodes.push(self.command()?);
            if self.op() != Some("|") {
                return Ok(pipeline);
            }
            self.tokens.pop_front();
            while self.op() == Some("\n") {
                self.tokens.pop_front();
            }
        }
    }

    fn command(&mut self) -> Result<Node, Unparsed> {
        if self.op() == Some("(") {
            self.tokens.pop_front();
            let list = self.list(&[])?;
            if self.op() != Some(")") {
                return Err(Unparsed);
            }
            self.tokens.pop_front();
            self.skip_redirects();
            return Ok(Node::Group(list, true));
        }
        if self.take_keyword(&["{"]) {
            let list = self.list(&["}"])?;
            self.expect("}")?;
            self.skip_redirects();
            return Ok(Node::Group(list, false));
        }
        if self.take_keyword(&["if"]) {
            return self.branches();
        }
        if self.take_keyword(&["while", "until"]) {
            let condition = self.list(&["do"])?;
            return self.body(vec![condition]);
        }
        if self.take_keyword(&["for", "select"]) {
            // what it goes through is handed to nothing: `: a b c`
            let mut given = Simple::default();
            given.words.push(Word {
                text: ":".to_owned(),
                ..Word::default()
            });
            while !matches!(self.op(), Some(";" | "\n")) && self.keyword() != Some("do") {
                match self.tokens.pop_front() {
                    Some(Token::Word(word)) => given.words.push(word),
                    Some(_) => {}
                    None => break,
                }
            }
            // its name, and `in`
            given.words.drain(1..given.words.len().min(3));
            self.skip_breaks();
            let given = Pipeline {
                nodes: vec![Node::Simple(given)],
                negated: false,
            };
            let items = vec![(given, Joint::Then)];
            return self.body(vec![List { items }]);
        }
        if self.take_keyword(&["case", "coproc", "[["]) {
            return self.give_up_or_test();
        }
        if self.take_keyword(&["function"]) {
            return self.function();
        }
        if let (Some(Token::Word(_)), Some(Token::Op("(")), Some(Token::Op(")"))) =
            (self.tokens.front(), self.tokens.get(1), self.tokens.get(2))
        {
            return self.function();
        }
        self.simple()
    }

    /// `[[ … ]]` is a test that writes nothing; `case` is not followed.
    fn give_up_or_test(&mut self) -> Result<Node, Unparsed> {
        while let Some(token) = self.tokens.pop_front() {
            if matches!(&token, Token::Word(word) if word.text == "]]") {
                return Ok(Node::Simple(Simple::default()));
            }
        }
        Err(Unparsed)
    }

    fn expect(&mut self, word: &str) -> Result<(), Unparsed> {
        if self.take_keyword(&[word]) {
            Ok(())
        } else {
            Err(Unparsed)
        }
    }

    fn branches(&mut self) -> Result<Node, Unparsed> {
        let mut lists = vec![self.list(&["then"])?];
        self.expect("then")?;
        loop {
            lists.push(self.list(&["elif", "else", "fi"])?);
            if self.take_keyword(&["fi"]) {
                self.skip_redirects();
                return Ok(Node::Compound(lists));
            }
            if self.take_keyword(&["elif"]) {
                lists.push(self.list(&["then"])?);
                self.expect("then")?;
            } else {
                self.expect("else")?;
            }
        }
    }

    fn body(&mut self, mut lists: Vec<List>) -> Result<Node, Unparsed> {
        self.expect("do")?;
        lists.push(self.list(&["done"])?);
        self.expect("done")?;
        self.skip_redirects();
        Ok(Node::Compound(lists))
    }

    fn function(&mut self) -> Result<Node, Unparsed> {
        let Some(Token::Word(name)) = self.tokens.pop_front() else {
            return Err(Unparsed);
        };
        while matches!(self.op(), Some("(" | ")" | "\n")) {
            self.tokens.pop_front();
        }
        if !matches!(self.keyword(), Some("{")) {
            return Err(Unparsed);
        }
        self.command()?; // what it does is not run here
        Ok(Node::Function(name.text))
    }

    fn skip_redirects(&mut self) {
        while matches!(self.tokens.front(), Some(Token::Redirect(..))) {
            self.tokens.pop_front();
        }
    }

    fn simple(&mut self) -> Result<Node, Unparsed> {
        let mut simple = Simple::default();
        loop {
            match self.tokens.pop_front() {
                Some(Token::Word(word)) => simple.words.push(word),
                Some(Token::Redirect(op, target)) => simple.redirects.push((op, target.text)),
                Some(token @ Token::Op(_)) => {
                    self.tokens.push_front(token);
                    break;
                }
                None => break,
            }
        }
        if simple.words.is_empty() && simple.redirects.is_empty() {
            return Err(Unparsed);
        }
        Ok(Node::Simple(simple))
    }
}
