//! Results of calls: written by the recorder, compared by the player.

use core::fmt;

use os_shim::pool::RawHandle;

use super::PictureDigest;
use crate::error::PipeError;
use crate::handle::{Handle, Kind};
use crate::query::QueryResult;
use crate::wire::{Reader, TraceError, Wire, Writer};

/// An object that a call created: its kind, its traced handle, and its live handle.
pub(super) type Made = (&'static str, RawHandle, RawHandle);

/// The comparison of a played call with the traced call.
#[derive(Clone, Copy, Default)]
pub(super) struct Verdict {
    pub(super) is_same: bool,
    /// The error of the played call.
    pub(super) error: Option<PipeError>,
    pub(super) made: Option<Made>,
    /// The digests of the picture that the call shows, traced and played.
    pub(super) picture: Option<[Option<PictureDigest>; 2]>,
}

impl Verdict {
    pub(super) const SAME: Self = Self { is_same: true, error: None, made: None, picture: None };

    const fn same_if(is_same: bool) -> Self {
        Self { is_same, ..Self::SAME }
    }

    /// Adds the digests of a picture; reads the traced one from `input`.
    pub(super) fn with_picture(
        self,
        input: &mut Reader<'_, '_>,
        played: Option<PictureDigest>,
    ) -> Result<Self, TraceError> {
        if input.is_at_end() {
            // The call was refused here, but not in the trace.
            return Ok(self);
        }
        let traced = Option::<u64>::read(input)?.map(PictureDigest);
        if traced.is_none() && played.is_none() {
            return Ok(self);
        }
        // A stopped call does not show an intended picture.
        let is_same = self.is_same && (traced == played || traced.is_none());
        Ok(Self { is_same, picture: Some([traced, played]), ..self })
    }
}

/// The result of a call.
pub(super) trait Answer {
    fn write(&self, out: &mut Writer<'_>);
    /// Reads the traced result and compares it.
    fn settle(&self, input: &mut Reader<'_, '_>) -> Result<Verdict, TraceError>;
    /// Reads the traced result and passes it to `show`, unless it is `()`.
    fn show(
        input: &mut Reader<'_, '_>,
        show: &mut dyn FnMut(&dyn fmt::Debug),
    ) -> Result<(), TraceError>;
}

impl Answer for () {
    fn write(&self, _: &mut Writer<'_>) {}
    fn settle(&self, _: &mut Reader<'_, '_>) -> Result<Verdict, TraceError> {
        Ok(Verdict::SAME)
    }
    fn show(_: &mut Reader<'_, '_>, _: &mut dyn FnMut(&dyn fmt::Debug)) -> Result<(), TraceError> {
        Ok(())
    }
}

macro_rules! compared {
    ($($ty:ty),+) => { $(
        impl Answer for $ty {
            fn write(&self, out: &mut Writer<'_>) {
                Wire::write(self, out);
            }
            fn settle(&self, input: &mut Reader<'_, '_>) -> Result<Verdict, TraceError> {
                Ok(Verdict::same_if(<$ty>::read(input)? == *self))
            }
            fn show(
                input: &mut Reader<'_, '_>,
                show: &mut dyn FnMut(&dyn fmt::Debug),
            ) -> Result<(), TraceError> {
                show(&<$ty>::read(input)?);
                Ok(())
            }
        }
    )+ };
}
compared!(bool, u32, u64);

/// Results of queries are read but not compared, because times differ from run to run.
impl Answer for Option<QueryResult> {
    fn write(&self, out: &mut Writer<'_>) {
        let numbers = self.map_or(0, |result| result.numbers());
        out.number(numbers.into());
        for index in 0..numbers {
            out.number(self.and_then(|result| result.number(index)).unwrap_or(0));
        }
    }
    fn settle(&self, input: &mut Reader<'_, '_>) -> Result<Verdict, TraceError> {
        for _ in 0..input.number()? {
            input.number()?;
        }
        Ok(Verdict::SAME)
    }
    fn show(
        input: &mut Reader<'_, '_>,
        show: &mut dyn FnMut(&dyn fmt::Debug),
    ) -> Result<(), TraceError> {
        for _ in 0..input.number()? {
            show(&input.number()?);
        }
        Ok(())
    }
}

fn traced_handle(input: &mut Reader<'_, '_>) -> Result<RawHandle, TraceError> {
    RawHandle::from_bits(u32::read(input)?).ok_or(TraceError::Value("handle"))
}

impl<K: Kind> Answer for Handle<K> {
    fn write(&self, out: &mut Writer<'_>) {
        Wire::write(self, out);
    }
    fn settle(&self, input: &mut Reader<'_, '_>) -> Result<Verdict, TraceError> {
        let made = Some((K::NAME, traced_handle(input)?, self.raw()));
        Ok(Verdict { made, ..Verdict::SAME })
    }
    fn show(
        input: &mut Reader<'_, '_>,
        show: &mut dyn FnMut(&dyn fmt::Debug),
    ) -> Result<(), TraceError> {
        show(&Self::new(traced_handle(input)?));
        Ok(())
    }
}

/// An optional handle, such as the fence of a flush: not all drivers have fences.
impl<K: Kind> Answer for Option<Handle<K>> {
    fn write(&self, out: &mut Writer<'_>) {
        Wire::write(self, out);
    }
    fn settle(&self, input: &mut Reader<'_, '_>) -> Result<Verdict, TraceError> {
        let traced = if bool::read(input)? { Some(traced_handle(input)?) } else { None };
        let made = match (traced, self) {
            (Some(traced), Some(live)) => Some((K::NAME, traced, live.raw())),
            _ => None,
        };
        Ok(Verdict { made, ..Verdict::SAME })
    }
    fn show(
        input: &mut Reader<'_, '_>,
        show: &mut dyn FnMut(&dyn fmt::Debug),
    ) -> Result<(), TraceError> {
        if bool::read(input)? { Handle::<K>::show(input, show) } else { Ok(()) }
    }
}

/// The encoding of a result: whether the driver refused or executed the call, or the call was
/// stopped.
const REFUSED: u64 = 0;
const DONE: u64 = 1;
const STOPPED: u64 = 2;

/// Errors compare as equal, because two drivers may have different reasons. A call that was
/// stopped, by a budget or because its client left, may have any result.
impl<T: Answer> Answer for Result<T, PipeError> {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(match self {
            Ok(_) => DONE,
            #[cfg(feature = "budget")]
            Err(PipeError::Stopped(_)) => STOPPED,
            Err(_) => REFUSED,
        });
        if let Ok(answer) = self {
            answer.write(out);
        }
    }
    fn settle(&self, input: &mut Reader<'_, '_>) -> Result<Verdict, TraceError> {
        match (input.number()?, self) {
            (DONE, Ok(answer)) => answer.settle(input),
            (DONE, Err(error)) => {
                input.rest();
                Ok(Verdict { error: Some(*error), ..Verdict::same_if(false) })
            }
            (REFUSED | STOPPED, Err(error)) => Ok(Verdict { error: Some(*error), ..Verdict::SAME }),
            (REFUSED, Ok(_)) => Ok(Verdict::same_if(false)),
            (STOPPED, Ok(_)) => Ok(Verdict::SAME),
            _ => Err(TraceError::Value("result")),
        }
    }
    fn show(
        input: &mut Reader<'_, '_>,
        show: &mut dyn FnMut(&dyn fmt::Debug),
    ) -> Result<(), TraceError> {
        match input.number()? {
            DONE => T::show(input, show)?,
            REFUSED => show(&format_args!("refused")),
            STOPPED => show(&format_args!("stopped")),
            _ => return Err(TraceError::Value("result")),
        }
        Ok(())
    }
}
