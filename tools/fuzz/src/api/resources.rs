//! Resources, and CPU access to them.

use pipe_core::*;

use super::world::World;
use super::{Call, states};
use crate::Input;

pub(super) const CALLS: &[Call] = &[
    create,
    create,
    create_over_user_memory,
    write_buffer,
    write_buffer,
    write_texture,
    map,
    map,
    unmap,
    clear_buffer,
    clear_texture,
    commit,
];

/// User memory that resources read in place.
static USER_MEMORY: [u8; 4096] = [0x5a; 4096];

fn create(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let template = states::template(input);
    let possible = world.screen.can_create_resource(&template);
    let made = world.resource(&template);
    if let Ok(resource) = made {
        assert!(possible, "made, but not possible: {template:?}");
        assert_eq!(world.screen.resource_template(resource), Ok(template));
    }
}

fn create_over_user_memory(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let memory = &USER_MEMORY[..input.below(USER_MEMORY.len() + 1)];
    let made = world.screen.resource_from_user_memory(&states::template(input), memory);
    world.keep(made);
}

/// Returns map flags, mostly a usual combination.
fn map_flags(world: &World<'_, '_>, input: &mut Input<'_>) -> MapFlags {
    if input.once_in(8) {
        let never = if world.compares { MapFlags::DONTBLOCK } else { MapFlags::empty() };
        return MapFlags::from_bits_retain(input.word()) & !never;
    }
    input.pick(&[
        MapFlags::READ,
        MapFlags::WRITE,
        MapFlags::READ | MapFlags::WRITE,
        MapFlags::WRITE | MapFlags::DISCARD_RANGE,
        MapFlags::WRITE | MapFlags::FLUSH_EXPLICIT,
        MapFlags::WRITE | MapFlags::UNSYNCHRONIZED,
    ])
}

/// Writes numbers that can serve as vertices, indices, constants or arguments of indirect draws.
fn write_buffer(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let words = input.list(24, |input| {
        if input.flag() { input.up_to(40) } else { states::coordinate(input).to_bits() }
    });
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (usage, offset) = (map_flags(world, input), input.up_to(256));
    let _ = world.context().buffer_subdata(resource, usage, offset, &bytes);
    let _ = world.screen.resource_changed(resource);
}

fn write_texture(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let texels: Vec<u8> = input.bytes(64).iter().copied().cycle().take(4096).collect();
    let (level, usage) = (input.up_to(2), map_flags(world, input));
    let region = states::region(input);
    let strides = input.array(|input| input.up_to(256) as usize);
    let [stride, layer_stride] = if input.once_in(8) { [usize::MAX; 2] } else { strides };
    let context = world.context();
    let _ = context.texture_subdata(resource, level, usage, &region, &texels, stride, layer_stride);
}

fn map(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let level = if input.once_in(4) { input.up_to(3) } else { 0 };
    let (usage, region) = (map_flags(world, input), states::region(input));
    let Ok(transfer) = world.context().transfer_map(resource, level, usage, &region) else {
        return;
    };
    world.transfers.add(Ok(transfer.handle));
    if let Ok(bytes) = world.context().transfer_bytes(transfer.handle) {
        bytes.fill(input.byte());
    }
    if input.flag() {
        let _ = world.context().transfer_unmap(transfer.handle);
    }
}

fn unmap(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(transfer) = world.transfers.any(input) else { return };
    if let Ok(bytes) = world.context().transfer_bytes(transfer) {
        bytes.fill(input.byte());
    }
    let _ = world.context().transfer_flush_region(transfer, &states::region(input));
    let _ = world.context().transfer_unmap(transfer);
}

fn clear_buffer(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let (offset, size) = (input.up_to(64), input.up_to(256));
    let value = input.bytes(17);
    let _ = world.context().clear_buffer(resource, offset, size, value);
}

fn clear_texture(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let format = world.screen.resource_template(resource).map_or(Format::None, |it| it.format);
    let (level, region) = (input.up_to(2), states::region(input));
    let size = if input.once_in(8) { input.below(20) } else { format.block_bytes() };
    let texel: Vec<u8> = (0..size).map(|_| input.byte()).collect();
    let _ = world.context().clear_texture(resource, level, &region, &texel);
}

fn commit(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let region = states::region(input);
    let _ = world.context().resource_commit(resource, 0, &region, input.flag());
}
