//! Phase times in builds without the feature `desktop`: nothing is measured.

use core::marker::PhantomData;

use os_shim::clock::Clock;
use os_shim::options::Options;

use super::{Counter, Debug, Phase};

/// Holds nothing.
#[derive(Debug)]
pub(crate) struct Times;

impl Times {
    #[inline(always)]
    pub(crate) fn new(_debug: Debug, _options: &dyn Options) -> Times {
        Times
    }

    #[inline(always)]
    pub(crate) fn print(&self) {}

    #[inline(always)]
    pub(crate) fn timer<'a>(&'a self, _clock: &'a dyn Clock) -> Timer<'a> {
        Timer(PhantomData)
    }
}

/// Measures nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer<'a>(PhantomData<&'a ()>);

impl<'a> Timer<'a> {
    pub(crate) const OFF: Timer<'static> = Timer(PhantomData);

    #[inline(always)]
    pub(crate) fn start(self, _phase: Phase) -> Stopwatch<'a> {
        Stopwatch(PhantomData)
    }

    #[inline(always)]
    pub(crate) fn named(self, _name: &'static str, _phase: Phase) -> Stopwatch<'a> {
        Stopwatch(PhantomData)
    }

    #[inline(always)]
    pub(crate) fn leaves_out(self, _part: Debug) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn count(self, _counter: Counter, _number: u64) {}
}

/// Measures nothing.
#[derive(Debug)]
pub(crate) struct Stopwatch<'a>(PhantomData<&'a ()>);

impl Stopwatch<'_> {
    #[inline(always)]
    pub(crate) fn enter(&mut self, _phase: Phase) {}

    #[inline(always)]
    pub(crate) fn leaves_out(&self, _part: Debug) -> bool {
        false
    }
}
