//! Stream output without its feature: there are no targets, and nothing is streamed.

use core::convert::Infallible;
use core::marker::PhantomData;

use draw::Streamed;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::StreamOutputInfo;
use pipe_core::{PipeError, StreamOutputTargetHandle};

use crate::resource::Resource;

/// No state.
#[derive(Debug)]
pub(crate) struct StreamState<'m>(PhantomData<Memory<'m>>);

impl<'m> StreamState<'m> {
    pub(crate) fn new_in(_: Memory<'m>) -> Self {
        StreamState(PhantomData)
    }

    pub(crate) fn add_shader(
        &mut self,
        _: RawHandle,
        _: &StreamOutputInfo<'_>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }

    pub(crate) fn remove_shader(&mut self, _: RawHandle) {}

    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        core::iter::empty()
    }

    pub(crate) fn written(&self) -> [Option<RawHandle>; 0] {
        []
    }

    pub(crate) fn capture(
        &self,
        _: Option<RawHandle>,
        _: &mut Pool<'m, Resource<'m>>,
    ) -> Option<Capture<'m>> {
        None
    }

    pub(crate) fn finish(&mut self, capture: &Capture<'m>) -> Streamed {
        match capture.0 {}
    }

    pub(crate) fn streamed(&self, capture: &Capture<'m>) -> StreamOutputInfo<'_> {
        match capture.0 {}
    }

    pub(crate) fn vertices(&self, handle: StreamOutputTargetHandle) -> Result<u32, PipeError> {
        Err(PipeError::stale(handle))
    }
}

/// Cannot be constructed.
#[derive(Debug)]
pub(crate) struct Capture<'m>(Infallible, PhantomData<Memory<'m>>);

impl<'m> Capture<'m> {
    pub(crate) fn put_back(&mut self, _: &mut Pool<'m, Resource<'m>>) {
        match self.0 {}
    }

    pub(crate) fn primitive(&mut self, _: u8, _: &StreamOutputInfo<'_>, _: &[&[[f32; 4]]]) {
        match self.0 {}
    }
}
