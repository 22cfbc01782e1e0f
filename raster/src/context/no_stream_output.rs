//! Stream output without its feature: there are no targets, and nothing is streamed.

use core::convert::Infallible;
use core::marker::PhantomData;

use draw::Streamed;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::StreamOutputInfo;
use pipe_core::context::StreamOutputs;
use pipe_core::{PipeError, StreamOutputTargetHandle};

use super::Context;
use crate::profile::Profile;
use crate::resource::Resource;

/// No state.
#[derive(Debug)]
pub(super) struct StreamState<'m>(PhantomData<Memory<'m>>);

impl<'m> StreamState<'m> {
    pub(super) fn new_in(_: Memory<'m>) -> Self {
        StreamState(PhantomData)
    }

    pub(super) fn add_shader(
        &mut self,
        _: RawHandle,
        _: &StreamOutputInfo<'_>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }

    pub(super) fn remove_shader(&mut self, _: RawHandle) {}

    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        core::iter::empty()
    }

    pub(super) fn written(&self) -> [Option<RawHandle>; 0] {
        []
    }

    pub(super) fn capture(
        &self,
        _: Option<RawHandle>,
        _: &mut Pool<'m, Resource<'m>>,
    ) -> Option<Capture<'m>> {
        None
    }

    pub(super) fn finish(
        &mut self,
        capture: Capture<'m>,
        _: &mut Pool<'m, Resource<'m>>,
    ) -> Streamed {
        match capture.0 {}
    }

    pub(super) fn streamed(&self, capture: &Capture<'m>) -> StreamOutputInfo<'_> {
        match capture.0 {}
    }

    pub(super) fn vertices(&self, handle: StreamOutputTargetHandle) -> Result<u32, PipeError> {
        Err(PipeError::stale(handle))
    }
}

/// Cannot be constructed.
#[derive(Debug)]
pub(crate) struct Capture<'m>(Infallible, PhantomData<Memory<'m>>);

impl Capture<'_> {
    pub(crate) fn primitive(&mut self, _: u8, _: &StreamOutputInfo<'_>, _: &[&[[f32; 4]]]) {
        match self.0 {}
    }
}

impl<P: Profile> StreamOutputs for Context<'_, '_, P> {}
