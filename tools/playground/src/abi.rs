//! The functions that the page calls. Bytes go through two buffers of the engine; the page writes
//! and reads them in the engine's memory.

use std::cell::RefCell;

use crate::Problem;

#[derive(Default)]
struct Desk {
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Makes place for a request of `length` bytes; returns its address.
#[unsafe(no_mangle)]
extern "C" fn request(length: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        desk.request = vec![0; length];
        desk.request.as_mut_ptr()
    })
}

/// Returns the address of the last answer.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.as_ptr())
}

/// Draws the program of the request; returns the length of the answer.
#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    DESK.with_borrow_mut(|desk| {
        let request = std::mem::take(&mut desk.request);
        desk.answer = draw(&request);
        desk.answer.len()
    })
}

/// Draws a program: the length of the values in JSON, the values, the pixels.
fn draw(request: &[u8]) -> Vec<u8> {
    let drawing = match serde_json::from_slice(request) {
        Ok(program) => crate::draw(&program),
        Err(error) => {
            crate::Drawing { problems: vec![Problem::whole(error)], ..Default::default() }
        }
    };
    let values = serde_json::to_vec(&drawing).unwrap_or_default();
    let mut answer = (values.len() as u32).to_le_bytes().to_vec();
    answer.extend(values);
    answer.extend(drawing.pixels);
    answer
}
