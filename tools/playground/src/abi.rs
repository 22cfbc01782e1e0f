//! The function that the page calls.

use crate::Problem;

/// Draws the program of the request; returns the length of the answer.
#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    web::reply(|request| draw(&request))
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
