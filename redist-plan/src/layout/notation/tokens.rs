use super::lexer::{Lexeme, Token, lex};
use super::mistake::Mistake;
use crate::layout::vocabulary::{alternatives, unknown_word};
use core::ops::Range;

pub(super) type Parsed<T> = Result<T, Mistake>;

pub(super) struct Tokens<'a> {
    text: &'a str,
    lexemes: Vec<Lexeme>,
    next: usize,
}

pub(super) struct NumberList {
    pub values: Vec<usize>,
    pub span: Range<usize>,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Parsed<Self> {
        Ok(Self { text, lexemes: lex(text)?, next: 0 })
    }

    pub fn sizes(&mut self) -> Parsed<NumberList> {
        let start = self.span().start;
        let values = if self.take(&Token::Mark('(')) {
            self.list(')', Self::number)?
        } else if self.take(&Token::Mark('[')) {
            self.list(']', Self::number)?
        } else {
            vec![self.number()?]
        };
        Ok(NumberList { values, span: self.since(start) })
    }

    pub fn list<T>(
        &mut self,
        close: char,
        item: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.take(&Token::Mark(close)) {
            items.push(item(self)?);
            if !self.take(&Token::Mark(',')) {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    pub fn number(&mut self) -> Parsed<usize> {
        let Token::Number(number) = *self.peek() else {
            return self.fail("expected an integer".into());
        };
        self.advance();
        Ok(number)
    }

    /// Parses one of two words, and returns its value.
    pub fn choose<T>(&mut self, what: &str, words: &[&str], values: [T; 2]) -> Parsed<T> {
        let span = self.span();
        let Token::Word(word) = self.advance() else {
            let message = format!("expected a {what}: {}", alternatives(words));
            return Err(Mistake { message, span });
        };
        let index = words.iter().position(|known| *known == word);
        match (index, values) {
            (Some(0), [value, _]) | (Some(1), [_, value]) => Ok(value),
            _ => Err(self.unknown(what, words, span)),
        }
    }

    pub fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.take(&Token::Mark(mark)) { Ok(()) } else { self.fail(format!("expected `{mark}`")) }
    }

    pub fn take(&mut self, token: &Token) -> bool {
        let taken = self.peek() == token;
        self.next += usize::from(taken);
        taken
    }

    pub fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.lexemes.len() - 1);
        token
    }

    pub fn peek(&self) -> &Token {
        &self.lexemes[self.next].token
    }

    pub fn span(&self) -> Range<usize> {
        self.lexemes[self.next].span.clone()
    }

    pub fn since(&self, start: usize) -> Range<usize> {
        start..self.lexemes[self.next - 1].span.end
    }

    pub fn fail<T>(&self, message: String) -> Parsed<T> {
        Err(Mistake { message, span: self.span() })
    }

    pub fn unknown(&self, what: &str, known: &[&str], span: Range<usize>) -> Mistake {
        Mistake { message: unknown_word(what, &self.text[span.clone()], known), span }
    }
}
