//! The buffers of a request and its answer. The page writes and reads them in the engine's memory.

use std::cell::RefCell;

#[derive(Default)]
struct Buffers {
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Makes place for a request of `length` bytes; returns its address.
#[unsafe(no_mangle)]
extern "C" fn request(length: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.request = vec![0; length];
        buffers.request.as_mut_ptr()
    })
}

/// Returns the address of the last answer.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.answer.as_ptr())
}

/// Answers the request that the page has written; returns the length of the answer.
pub fn reply(answer: impl FnOnce(Vec<u8>) -> Vec<u8>) -> usize {
    let request = BUFFERS.with_borrow_mut(|buffers| std::mem::take(&mut buffers.request));
    let bytes = answer(request);
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.answer = bytes;
        buffers.answer.len()
    })
}
