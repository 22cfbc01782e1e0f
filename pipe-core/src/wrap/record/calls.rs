//! The numbers and names of the calls in a recording.

use crate::wrap::calls::*;

/// Defines the numbers and names of calls outside of the lists above. Each has a separate method in
/// the recorder and in the player.
macro_rules! numbers {
    ($( $number:literal $constant:ident $name:literal; )+) => {
        /// Numbers of calls.
        pub(super) mod number {
            $( pub(in crate::wrap::record) const $constant: u64 = $number; )+
        }

        const fn other_name(number: u64) -> Option<&'static str> {
            match number {
                $( $number => Some($name), )+
                _ => None,
            }
        }
    };
}
numbers! {
    1 CONTEXT_CREATE "context_create";
    2 CONTEXT_DESTROY "context_destroy";
    3 RESOURCE_CREATE "resource_create";
    4 RESOURCE_FROM_USER_MEMORY "resource_from_user_memory";
    5 RESOURCE_DESTROY "resource_destroy";
    6 RESOURCE_CHANGED "resource_changed";
    7 FENCE_FINISH "fence_finish";
    8 FENCE_DESTROY "fence_destroy";
    9 LOST "a call for which the recorder had no memory";
    29 CREATE_SHADER_STATE "create_shader_state";
    32 SET_FRAMEBUFFER_STATE "set_framebuffer_state";
    64 CREATE_SURFACE "create_surface";
    65 SURFACE_DESTROY "surface_destroy";
    136 FLUSH "flush";
    137 PRESENT "present";
    138 PRESENT_ROWS "present_rows";
    139 PRESENT_TILE "present_tile";
    163 TRANSFER_MAP "transfer_map";
    164 TRANSFER_WRITE "a write of the CPU to mapped memory";
    165 TRANSFER_FLUSH_REGION "transfer_flush_region";
    166 TRANSFER_UNMAP "transfer_unmap";
    173 CREATE_COMPUTE_STATE "create_compute_state";
    174 SET_GLOBAL_BINDING "set_global_binding";
}

/// Defines a function that names the calls of one list.
macro_rules! names {
    ([$function:ident] $( $number:literal $method:ident ( $($arguments:tt)* ) -> $result:ty; )*) => {
        const fn $function(number: u64) -> Option<&'static str> {
            match number {
                $( $number => Some(stringify!($method)), )*
                _ => None,
            }
        }
    };
}
all_calls!(names);

/// Returns the name of the call with a number.
pub(super) fn name(number: u64) -> Option<&'static str> {
    other_name(number).or_else(|| all_chapters!().into_iter().find_map(|list| list(number)))
}

/// Returns true for calls that may change a picture: draws, clears, copies, launches.
pub(super) const fn works(number: u64) -> bool {
    matches!(number, 63 | 90..=94 | 100 | 150 | 151 | 172)
}

/// Returns true for calls with a number of instructions at their end, if the sink counts them.
pub(super) const fn is_counted(call: u64) -> bool {
    works(call) || matches!(call, number::FLUSH | number::PRESENT..=number::PRESENT_TILE)
}

/// What a call leaves behind for the calls after it, in addition to the contents of resources; see
/// [`Call::effect`](super::Call::effect).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It may create, destroy or change objects.
    Objects,
    /// It binds objects or sets parameters. A later call of the same number and context with the same
    /// value here replaces it.
    Binding(u64),
    /// It leaves nothing: it works on the contents of resources and queries, or shows them.
    Contents,
}

/// Returns the number of leading numbers of a call's body that name what it binds: its stage, its first
/// slot and its number of slots. `None` for other calls.
const fn named_by(call: u64) -> Option<usize> {
    Some(match call {
        11 | 14 | 17 | 23 | 170 => 0,
        number::SET_FRAMEBUFFER_STATE | 40..=45 | 48..=51 | 116 => 0,
        25 | 28 => 1,
        30 | 31 | 46 | 47 | 72 => 2,
        20 | 62 | 70 | 71 => 3,
        _ => return None,
    })
}

/// Returns the effect of a call.
pub(super) fn effect(call: u64, body: &[u8]) -> Effect {
    let moves_data = matches!(call, 160 | 161 | number::TRANSFER_MAP..=number::TRANSFER_UNMAP);
    let measures = matches!(call, 83 | 112..=115);
    let shows = matches!(call, number::PRESENT..=number::PRESENT_TILE | 130..=135);
    if works(call) || moves_data || measures || shows {
        return Effect::Contents;
    }
    let Some(count) = named_by(call) else { return Effect::Objects };
    let (mut name, mut rest) = (0, body);
    for _ in 0..count {
        match crate::wire::number(rest) {
            // Three numbers fit, because stages and slots are small.
            Ok((part, tail)) if part < 1 << 21 => (name, rest) = (name << 21 | part, tail),
            _ => return Effect::Objects,
        }
    }
    Effect::Binding(name)
}
