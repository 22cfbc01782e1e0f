//! Generators of machine code. Each client has one generator at a time. The client's shaders share
//! its room for code and take no room from other clients.

use std::sync::{Mutex, PoisonError};

use codegen::Generator;

/// Generators that wait for clients. Their number is the largest number of clients at one time.
#[derive(Debug, Default)]
pub struct Generators {
    idle: Mutex<Vec<&'static Generator>>,
}

impl Generators {
    /// Runs `run` with a generator that nothing else uses, or with `None` on processors without
    /// code generation.
    pub fn with<R>(&self, run: impl FnOnce(Option<&'static Generator>) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let generator = waiting.or_else(|| Generator::new().map(|new| &*Box::leak(Box::new(new))));
        let result = run(generator);
        idle().extend(generator);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_at_a_time_have_generators_of_their_own() {
        let generators = Generators::default();
        let mut seen = Vec::new();
        generators.with(|first| {
            generators.with(|second| {
                seen.extend([first, second]);
                assert!(first.is_none() || !std::ptr::eq(first.unwrap(), second.unwrap()));
            });
        });
        // Later clients reuse the generators of earlier clients.
        generators.with(|third| {
            assert!(third.is_none_or(|third| {
                seen.iter().flatten().any(|known| std::ptr::eq(*known, third))
            }));
        });
    }
}
