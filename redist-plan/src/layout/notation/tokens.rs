//! Cuts the notation into tokens, and reads lists of them.

use super::mistake::Mistake;
use crate::layout::MAX_EXTENT;
use crate::layout::vocabulary::{alternatives, unknown_word};
use core::ops::Range;

/// A part of a text, or its first mistake.
pub(super) type Parsed<T> = Result<T, Mistake>;

/// A text as tokens, read from front to back.
pub(super) struct Tokens<'a> {
    text: &'a str,
    lexemes: Vec<Lexeme>,
    /// Index of the next token; it never passes the last, which is [`Token::End`].
    next: usize,
}

/// A list of numbers in a text.
pub(super) struct NumberList {
    /// The numbers.
    pub values: Vec<usize>,
    /// Bytes of the list in the text.
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
            if self.take(&Token::Mark(close)) {
                break;
            }
            if !self.take(&Token::Mark(',')) {
                return self.fail(format!("expected `,` or `{close}`, found {}", self.found()));
            }
        }
        Ok(items)
    }

    pub fn number(&mut self) -> Parsed<usize> {
        let Token::Number(number) = *self.peek() else {
            let mend = match self.peek() {
                Token::Word(_) => "a text knows no names, so write the number",
                _ => "write one, such as `4`",
            };
            return self.fail(format!("expected an integer, found {}; {mend}", self.found()));
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
        if self.take(&Token::Mark(mark)) {
            return Ok(());
        }
        self.fail(format!("expected `{mark}`, found {}", self.found()))
    }

    /// Returns the next token as an error quotes it.
    fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end of the text".into(),
            _ => format!("`{}`", &self.text[self.span()]),
        }
    }

    /// Returns `true` if the word stands before the next token.
    pub fn has_read(&self, word: &str) -> bool {
        let is_it = |lexeme: &Lexeme| lexeme.token == Token::Word(word.into());
        self.lexemes[..self.next].iter().any(is_it)
    }

    /// Returns `true` if a list in brackets, within parentheses, is next.
    pub fn has_list(&self) -> bool {
        let marks = self.lexemes[self.next..].iter().map(|lexeme| &lexeme.token).take(2);
        marks.eq([&Token::Mark('('), &Token::Mark('[')])
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

/// One token of the notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name.
    Word(String),
    /// A decimal number; underscores may separate its digits.
    Number(usize),
    /// One of `( ) [ ] , *`.
    Mark(char),
    /// `..` of a range.
    Dots,
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Debug)]
struct Lexeme {
    pub token: Token,
    /// Bytes of the token in the text.
    pub span: Range<usize>,
}

/// Returns the tokens of `text`; the last is [`Token::End`].
fn lex(text: &str) -> Result<Vec<Lexeme>, Mistake> {
    let (mut lexemes, mut start) = (Vec::new(), 0);
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let word = &rest[..rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len())];
        let (length, token) = match first {
            '(' | ')' | '[' | ']' | ',' | '*' => (1, Ok(Token::Mark(first))),
            '.' if rest.starts_with("..") => (2, Ok(Token::Dots)),
            '0'..='9' => (word.len(), number(word)),
            _ if is_of_word(first) => (word.len(), Ok(Token::Word(word.to_lowercase()))),
            _ if first.is_whitespace() => {
                start += first.len_utf8();
                continue;
            }
            _ => (first.len_utf8(), Err(unexpected(first))),
        };
        let span = start..start + length;
        start = span.end;
        match token {
            Ok(token) => lexemes.push(Lexeme { token, span }),
            Err(message) => return Err(Mistake { message, span }),
        }
    }
    lexemes.push(Lexeme { token: Token::End, span: text.len()..text.len() });
    Ok(lexemes)
}

fn unexpected(character: char) -> String {
    let mend = match character {
        '-' => "write a number of 0 or more",
        '+' | '/' => "write the number that it comes to",
        '.' => "write a number without a fraction",
        '=' => "the end of `ranks` is left out: ranks 0 to 5 are `0..6`",
        ';' => "write `,`",
        _ => "write words, numbers, `,`, `*`, `..`, parentheses and brackets",
    };
    format!("unexpected character `{character}`; {mend}")
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn number(word: &str) -> Result<Token, String> {
    let digits = word.replace('_', "");
    if let Some(odd) = digits.find(|c: char| !c.is_ascii_digit()) {
        let (digits, odd) = digits.split_at(odd);
        return Err(format!("a size is a plain integer; write `{digits}` without `{odd}`"));
    }
    match digits.parse() {
        Ok(number) if number <= MAX_EXTENT => Ok(Token::Number(number)),
        _ => Err(format!("a size must be at most {MAX_EXTENT}, found {digits}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_carry_their_bytes() {
        let lexemes = lex("Cyclic(1_000) 6..").unwrap();
        let tokens: Vec<_> = lexemes.iter().map(|l| l.token.clone()).collect();
        assert_eq!(tokens[0], Token::Word("cyclic".into()));
        assert_eq!(tokens[2], Token::Number(1000));
        assert_eq!(tokens[4..], [Token::Number(6), Token::Dots, Token::End]);
        assert_eq!(lexemes[2].span, 7..12);
    }

    #[test]
    fn odd_input_is_an_error_at_its_place() {
        assert_eq!(lex("block?").unwrap_err().span, 5..6);
        assert!(lex("64u8").unwrap_err().message.contains("without `u8`"));
        assert!(
            lex("99999999999999999999")
                .unwrap_err()
                .message
                .contains("must be at most 9223372036854775807")
        );
        assert!(lex("9223372036854775808").is_err() && lex("9223372036854775807").is_ok());
        assert!(lex("é ü∑").is_err());
        assert_eq!(lex("²").unwrap()[0].token, Token::Word("²".into()), "no digit of a size");
    }
}
