use super::mistake::Mistake;
use crate::layout::MAX_EXTENT;
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Number(usize),
    /// One of `( ) [ ] , *`.
    Mark(char),
    Dots,
    End,
}

#[derive(Clone, Debug)]
struct Lexeme {
    pub token: Token,
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
            _ => (first.len_utf8(), Err(format!("unexpected character `{first}`"))),
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
