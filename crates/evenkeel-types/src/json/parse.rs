//! The grammar of JSON, as events. It goes down without recursion.
//!
//! Must not know: what is made of the events.

use super::lex::{Lexer, Token, Wanted};
use super::{MAX_DEPTH, too_deep};
use crate::error::SqlError;

/// A token that is a value or a key: where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Its kind.
    pub token: Token,
    /// Its text.
    pub text: &'a str,
    /// Where it begins.
    pub start: usize,
    /// It is a string with a backslash in it.
    pub is_escaped: bool,
}

/// What takes the events. Containers nest as they are opened and closed.
#[allow(unused_variables)]
pub trait Sink<'a> {
    /// An object or array begins.
    fn open(&mut self, is_object: bool, start: usize) -> Result<(), SqlError> {
        Ok(())
    }
    /// The key of the next value of an object.
    fn key(&mut self, key: Piece<'a>) -> Result<(), SqlError> {
        Ok(())
    }
    /// A value that is no container.
    fn scalar(&mut self, value: Piece<'a>) -> Result<(), SqlError> {
        Ok(())
    }
    /// The innermost container ends.
    fn close(&mut self, end: usize) -> Result<(), SqlError> {
        Ok(())
    }
}

/// Takes no notice: what is left is whether the text is JSON.
pub struct Check;

impl Sink<'_> for Check {}

fn piece<'a>(lexer: &Lexer<'a>) -> Piece<'a> {
    Piece { token: lexer.token, text: lexer.text(), start: lexer.start, is_escaped: lexer.is_escaped }
}

fn key<'a>(lexer: &mut Lexer<'a>, sink: &mut impl Sink<'a>) -> Result<(), SqlError> {
    sink.key(piece(lexer))?;
    lexer.advance()?;
    if lexer.token != Token::Colon {
        return Err(lexer.unexpected(Wanted::Colon));
    }
    lexer.advance()
}

/// Reads a text. With `checks_escapes`, each string must be one that a text value can be.
pub fn parse<'a>(text: &'a str, checks_escapes: bool, sink: &mut impl Sink<'a>) -> Result<(), SqlError> {
    let mut lexer = Lexer::new(text, checks_escapes);
    let lexer = &mut lexer;
    // Which containers are open: is it an object?
    let mut open: Vec<bool> = Vec::new();
    lexer.advance()?;
    loop {
        match lexer.token {
            token @ (Token::ObjectStart | Token::ArrayStart) => {
                if open.len() == MAX_DEPTH {
                    return Err(too_deep());
                }
                let is_object = token == Token::ObjectStart;
                open.push(is_object);
                sink.open(is_object, lexer.start)?;
                lexer.advance()?;
                match (is_object, lexer.token) {
                    (true, Token::String) => {
                        key(lexer, sink)?;
                        continue;
                    }
                    (true, Token::ObjectEnd) | (false, Token::ArrayEnd) => {}
                    (true, _) => return Err(lexer.unexpected(Wanted::ObjectFirst)),
                    (false, _) => continue,
                }
            }
            Token::String | Token::Number | Token::True | Token::False | Token::Null => {
                sink.scalar(piece(lexer))?;
                lexer.advance()?;
            }
            _ => return Err(lexer.unexpected(Wanted::Value)),
        }
        // Behind a value, or at the end of an empty container.
        loop {
            match (open.last(), lexer.token) {
                (None, Token::End) => return Ok(()),
                (None, _) => return Err(lexer.unexpected(Wanted::End)),
                (Some(true), Token::ObjectEnd) | (Some(false), Token::ArrayEnd) => {
                    open.pop();
                    sink.close(lexer.end)?;
                    lexer.advance()?;
                }
                (Some(is_object), Token::Comma) => {
                    let is_object = *is_object;
                    lexer.advance()?;
                    if is_object {
                        if lexer.token != Token::String {
                            return Err(lexer.unexpected(Wanted::String));
                        }
                        key(lexer, sink)?;
                    }
                    break;
                }
                (Some(true), _) => return Err(lexer.unexpected(Wanted::ObjectNext)),
                (Some(false), _) => return Err(lexer.unexpected(Wanted::ArrayNext)),
            }
        }
    }
}

/// Fails if a text is no JSON.
pub fn check(text: &str) -> Result<(), SqlError> {
    parse(text, false, &mut Check)
}
