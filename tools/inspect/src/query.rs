//! The parts of a request's address after the question mark.

use anyhow::{Context as _, Result};

use crate::answer::At;

/// Names and values.
pub(crate) struct Query<'q>(Vec<(&'q str, String)>);

impl<'q> Query<'q> {
    pub(crate) fn of(text: &'q str) -> Self {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        Self(pairs.map(|(name, value)| (name, unescaped(value))).collect())
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    }

    pub(crate) fn optional(&self, name: &str) -> Result<Option<u64>> {
        match self.text(name) {
            "" => Ok(None),
            text => Ok(Some(text.parse().with_context(|| format!("{name} is no number"))?)),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Result<u64> {
        self.optional(name)?.with_context(|| format!("{name} is missing"))
    }

    pub(crate) fn side(&self, name: &str) -> Result<u32> {
        Ok(u32::try_from(self.number(name)?)?)
    }

    pub(crate) fn at(&self) -> Result<At> {
        let small =
            |name| Ok::<_, anyhow::Error>(self.optional(name)?.map(u32::try_from).transpose()?);
        Ok(At {
            resource: self.text("resource").to_owned(),
            level: small("level")?,
            layer: small("layer")?,
            x: small("x")?.unwrap_or(0),
            y: small("y")?.unwrap_or(0),
            sample: small("sample")?,
        })
    }
}

/// Replaces `%23` and the like.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        let digit = |at: usize| tail.get(at).and_then(|it| char::from(*it).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = tail.get(2..).unwrap_or(&[]);
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
