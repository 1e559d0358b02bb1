use super::mistake::Mistake;
use crate::layout::MAX_EXTENT;
use core::ops::Range;

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
pub(super) struct Lexeme {
    pub token: Token,
    pub span: Range<usize>,
}

/// Returns the tokens of `text`; the last is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, Mistake> {
    let mut lexemes = Vec::new();
    let mut start = 0;
    while let Some(character) = text[start..].chars().next() {
        let length = match character {
            _ if character.is_whitespace() => {
                start += character.len_utf8();
                continue;
            }
            _ if text[start..].starts_with("..") => 2,
            '(' | ')' | '[' | ']' | ',' | '*' => 1,
            _ if character.is_alphanumeric() || character == '_' => word_length(&text[start..]),
            _ => {
                let message = format!("unexpected character `{character}`");
                return Err(Mistake { message, span: start..start + character.len_utf8() });
            }
        };
        let span = start..start + length;
        lexemes.push(Lexeme { token: token(&text[span.clone()], &span)?, span });
        start += length;
    }
    lexemes.push(Lexeme { token: Token::End, span: text.len()..text.len() });
    Ok(lexemes)
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

fn token(text: &str, span: &Range<usize>) -> Result<Token, Mistake> {
    let fail = |message| Err(Mistake { message, span: span.clone() });
    if text == ".." {
        return Ok(Token::Dots);
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = text.replace('_', "");
        if let Some(odd) = digits.find(|c: char| !c.is_ascii_digit()) {
            return fail(format!(
                "a size is a plain integer; write `{}` without `{}`",
                &digits[..odd],
                &digits[odd..]
            ));
        }
        return match digits.parse() {
            Ok(number) if number <= MAX_EXTENT => Ok(Token::Number(number)),
            _ => fail(format!("a size must be at most {MAX_EXTENT}, found {digits}")),
        };
    }
    if text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return Ok(Token::Word(text.to_lowercase()));
    }
    match text.chars().next() {
        Some(mark) => Ok(Token::Mark(mark)),
        None => Ok(Token::End),
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
    }
}
