//! Two tile buffers between driver and display: one is drawn while the other is sent.

use formats::Format;

use super::{Area, PanelError, TilePanel, row_bytes, tile_bytes};

/// The byte order that a display expects for 16-bit pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ByteOrder {
    /// Low byte first, as in memory: parallel and memory-mapped displays.
    #[default]
    Little,
    /// High byte first: most controllers behind SPI.
    Big,
}

/// A transmitter that sends pixels to a display while the processor continues: a DMA channel.
///
/// The cable owns a buffer while it sends it. `'b` is `'static` for DMA.
pub trait Cable<'b> {
    /// Prepares for a picture of `width`×`height` pixels.
    ///
    /// # Errors
    /// The display is not ready.
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        let _ = (width, height);
        Ok(())
    }

    /// Starts sending the first `bytes` bytes of `buffer` to the rectangle, row by row, and may
    /// return before they are sent. The caller guarantees that no other transmission is running.
    ///
    /// # Errors
    /// The transmission could not start; the error carries the buffer.
    fn start(
        &mut self,
        area: Area,
        buffer: &'b mut [u8],
        bytes: usize,
    ) -> Result<(), (PanelError, &'b mut [u8])>;

    /// Returns the display's [granularity](TilePanel::granularity).
    fn granularity(&self) -> [u32; 2] {
        [1, 1]
    }

    /// Waits until the transmission is done, and returns its buffer; `None` if none was started.
    ///
    /// # Errors
    /// The transmission failed; the next call returns the buffer.
    fn wait(&mut self) -> Result<Option<&'b mut [u8]>, PanelError>;
}

/// A panel with two tile buffers in flight over a [`Cable`]: drawing overlaps sending.
///
/// The driver draws directly in these buffers, so no other tile memory is needed. Each must hold a
/// tile: its width times its height times the bytes of a pixel.
#[derive(Debug)]
pub struct InFlight<'b, C> {
    cable: C,
    order: ByteOrder,
    free: [Option<&'b mut [u8]>; 2],
}

impl<'b, C: Cable<'b>> InFlight<'b, C> {
    /// Returns a panel over two buffers, each large enough for a tile.
    pub fn new(cable: C, order: ByteOrder, buffers: [&'b mut [u8]; 2]) -> Self {
        InFlight { cable, order, free: buffers.map(Some) }
    }

    /// Returns the cable, for commands to the display.
    pub fn cable(&mut self) -> &mut C {
        &mut self.cable
    }

    /// Waits for the buffer in transmission, if there is one.
    fn reclaim(&mut self) -> Result<(), PanelError> {
        if let Some(buffer) = self.cable.wait()? {
            self.give_back(buffer);
        }
        Ok(())
    }

    fn give_back(&mut self, buffer: &'b mut [u8]) {
        if let Some(slot) = self.free.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some(buffer);
        }
    }

    /// Sends the tile in the first free buffer, after the running transmission.
    fn start(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        let bytes = tile_bytes(area, format);
        // Take the buffer before the other one returns to the free list, because the other one
        // could come first there.
        let buffer = self.free.iter_mut().find_map(Option::take).ok_or(PanelError::NO_BUFFER)?;
        let ordered = match buffer.get_mut(..bytes) {
            Some(pixels) => to_order(self.order, format, pixels),
            None => Err(PanelError::too_large(bytes)),
        };
        let started = ordered.and_then(|()| self.reclaim());
        if let Err(error) = started {
            self.give_back(buffer);
            return Err(error);
        }
        self.cable.start(area, buffer, bytes).map_err(|(error, buffer)| {
            self.give_back(buffer);
            error
        })
    }
}

/// Changes little-endian pixels to the display's byte order.
fn to_order(order: ByteOrder, format: Format, pixels: &mut [u8]) -> Result<(), PanelError> {
    match (order, format.block_bytes()) {
        (ByteOrder::Little, _) | (ByteOrder::Big, 1) => Ok(()),
        (ByteOrder::Big, 2) => {
            pixels.as_chunks_mut::<2>().0.iter_mut().for_each(|pixel| pixel.reverse());
            Ok(())
        }
        (ByteOrder::Big, _) => Err(PanelError::NO_ORDER),
    }
}

impl<'b, C: Cable<'b>> TilePanel for InFlight<'b, C> {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.reclaim()?;
        self.cable.begin(width, height)
    }

    /// Copies a tile that was drawn in other memory.
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let area = Area { x, y, width, height };
        let row_bytes = row_bytes(area, format);
        let lent = self.lend(tile_bytes(area, format))?.ok_or(PanelError::NO_BUFFER)?;
        let rows = lent.chunks_exact_mut(row_bytes.max(1)).take(height as usize);
        for (to, from) in rows.zip(pixels.chunks(stride_bytes.max(1))) {
            to.copy_from_slice(from.get(..row_bytes).ok_or(PanelError::NO_BUFFER)?);
        }
        self.start(area, format)
    }

    fn lend(&mut self, bytes: usize) -> Result<Option<&mut [u8]>, PanelError> {
        if self.free.iter().all(Option::is_none) {
            self.reclaim()?;
        }
        match self.free.iter_mut().flatten().next() {
            Some(buffer) if buffer.len() >= bytes => Ok(Some(buffer)),
            Some(_) => Err(PanelError::too_large(bytes)),
            None => Err(PanelError::NO_BUFFER),
        }
    }

    fn send(&mut self, area: Area, format: Format) -> Result<(), PanelError> {
        self.start(area, format)
    }

    fn granularity(&self) -> [u32; 2] {
        self.cable.granularity()
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        self.reclaim()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// A cable that records what it sends, and when buffers return.
    #[derive(Default)]
    struct Log<'b> {
        busy: Option<&'b mut [u8]>,
        events: Vec<Event>,
        broken: bool,
    }

    #[derive(Clone, PartialEq, Eq, Debug)]
    enum Event {
        Start(Area, Vec<u8>),
        Wait,
    }

    impl<'b> Cable<'b> for Log<'b> {
        fn start(
            &mut self,
            area: Area,
            buffer: &'b mut [u8],
            bytes: usize,
        ) -> Result<(), (PanelError, &'b mut [u8])> {
            assert!(self.busy.is_none(), "something is on its way");
            if self.broken {
                return Err((PanelError(7), buffer));
            }
            self.events.push(Event::Start(area, buffer[..bytes].to_vec()));
            self.busy = Some(buffer);
            Ok(())
        }

        fn wait(&mut self) -> Result<Option<&'b mut [u8]>, PanelError> {
            if self.busy.is_some() {
                self.events.push(Event::Wait);
            }
            Ok(self.busy.take())
        }
    }

    fn area(x: u32) -> Area {
        Area { x, y: 0, width: 2, height: 1 }
    }

    #[test]
    fn a_tile_is_drawn_while_the_one_before_is_sent() {
        let (mut a, mut b) = ([0; 4], [0; 4]);
        let mut panel = InFlight::new(Log::default(), ByteOrder::Big, [&mut a[..], &mut b[..]]);
        panel.begin(6, 1).unwrap();
        for tile in 0..3u8 {
            // Lending the second buffer does not wait; the third tile needs the first buffer.
            panel.lend(4).unwrap().unwrap().copy_from_slice(&[tile, 0x10, tile, 0x20]);
            panel.send(area(tile.into()), Format::B5G6R5Unorm).unwrap();
        }
        panel.finish().unwrap();
        let start = |tile: u8| Event::Start(area(tile.into()), std::vec![0x10, tile, 0x20, tile]);
        let expected = [start(0), Event::Wait, start(1), Event::Wait, start(2), Event::Wait];
        assert_eq!(panel.cable().events, expected);
    }

    #[test]
    fn a_tile_that_was_drawn_elsewhere_is_copied_without_its_padding() {
        let (mut a, mut b) = ([0; 4], [0; 4]);
        let mut panel = InFlight::new(Log::default(), ByteOrder::Little, [&mut a[..], &mut b[..]]);
        panel.tile(8, 9, 1, 2, Format::B5G6R5Unorm, &[1, 2, 99, 99, 3, 4], 4).unwrap();
        panel.finish().unwrap();
        let area = Area { x: 8, y: 9, width: 1, height: 2 };
        assert_eq!(panel.cable().events[0], Event::Start(area, std::vec![1, 2, 3, 4]));
    }

    #[test]
    fn buffers_survive_errors() {
        let (mut a, mut b) = ([0; 4], [0; 4]);
        let mut panel = InFlight::new(Log::default(), ByteOrder::Big, [&mut a[..], &mut b[..]]);
        assert_eq!(panel.lend(5).err(), Some(PanelError::too_large(5)));
        let wide = Area { width: 1, ..area(0) };
        assert_eq!(panel.send(wide, Format::R8G8B8A8Unorm), Err(PanelError::NO_ORDER));
        panel.cable().broken = true;
        for _ in 0..3 {
            assert_eq!(panel.send(area(0), Format::B5G6R5Unorm), Err(PanelError(7)));
        }
        panel.cable().broken = false;
        for _ in 0..3 {
            assert_eq!(panel.send(area(0), Format::B5G6R5Unorm), Ok(()));
        }
    }
}
