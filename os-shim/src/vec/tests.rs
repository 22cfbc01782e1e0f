//! `Vec` against the standard library's `Vec`, with elements that count how many of them live.

use super::*;
use crate::memory::{FailAt, Quota, Region, System};
use core::cell::Cell;
use core::mem::MaybeUninit;
use proptest::prelude::*;
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::vec;
use std::vec::Vec as StdVec;

/// Counts the live elements that it made.
#[derive(Clone, Default)]
struct Counter(Rc<Cell<isize>>);

impl Counter {
    fn element(&self, value: u32) -> Element {
        self.0.set(self.0.get() + 1);
        Element { value, counter: self.clone(), alive: 0xA11E }
    }

    fn live(&self) -> isize {
        self.0.get()
    }
}

/// Panics if it is dropped twice or was never made.
struct Element {
    value: u32,
    counter: Counter,
    alive: u32,
}

impl Clone for Element {
    fn clone(&self) -> Self {
        assert_ne!(self.value, u32::MAX, "cannot clone this one, on purpose");
        self.counter.element(self.value)
    }
}

impl Drop for Element {
    fn drop(&mut self) {
        assert_eq!(self.alive, 0xA11E, "dropped, but not alive");
        self.alive = 0;
        self.counter.0.set(self.counter.live() - 1);
    }
}

fn values(elements: &[Element]) -> StdVec<u32> {
    elements.iter().map(|element| element.value).collect()
}

#[derive(Clone, Debug)]
enum Step {
    Push(u32),
    PushWithinCapacity(u32),
    Pop,
    Insert(usize, u32),
    Remove(usize),
    SwapRemove(usize),
    Truncate(usize),
    Clear,
    Resize(usize, u32),
    Extend(StdVec<u32>),
    ExtendIter(StdVec<u32>),
    Retain(u32),
    Reserve(usize),
    ReserveExact(usize),
    Shrink,
    Clone,
    IntoIter(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let few = || prop::collection::vec(0..100u32, 0..9);
    prop_oneof![
        4 => (0..100u32).prop_map(Step::Push),
        1 => (0..100u32).prop_map(Step::PushWithinCapacity),
        2 => Just(Step::Pop),
        2 => (any::<usize>(), 0..100u32).prop_map(|(i, v)| Step::Insert(i, v)),
        1 => any::<usize>().prop_map(Step::Remove),
        1 => any::<usize>().prop_map(Step::SwapRemove),
        1 => (0..40usize).prop_map(Step::Truncate),
        1 => Just(Step::Clear),
        1 => (0..40usize, 0..100u32).prop_map(|(n, v)| Step::Resize(n, v)),
        2 => few().prop_map(Step::Extend),
        1 => few().prop_map(Step::ExtendIter),
        1 => (2..5u32).prop_map(Step::Retain),
        1 => (0..40usize).prop_map(Step::Reserve),
        1 => (0..40usize).prop_map(Step::ReserveExact),
        1 => Just(Step::Shrink),
        1 => Just(Step::Clone),
        1 => (0..9usize, 0..9usize).prop_map(|(a, b)| Step::IntoIter(a, b)),
    ]
}

/// Takes the step on both vectors; on [`OutOfMemory`] leaves the standard library's vector as it
/// was.
fn take(
    step: &Step,
    vec: &mut Vec<'_, Element>,
    model: &mut StdVec<u32>,
    counter: &Counter,
) -> Result<(), OutOfMemory> {
    match *step {
        Step::Push(value) => {
            vec.try_push(counter.element(value))?;
            model.push(value);
        }
        Step::PushWithinCapacity(value) => {
            let has_room = vec.len() < vec.capacity();
            match vec.push_within_capacity(counter.element(value)) {
                Ok(()) => model.push(value),
                Err(element) => assert_eq!(element.value, value),
            }
            assert_eq!(has_room, vec.len() == model.len() && vec.last().is_some() && has_room);
        }
        Step::Pop => assert_eq!(vec.pop().map(|element| element.value), model.pop()),
        Step::Insert(index, value) => {
            let index = index % (model.len() + 1);
            vec.insert(index, counter.element(value))?;
            model.insert(index, value);
        }
        Step::Remove(index) if !model.is_empty() => {
            let index = index % model.len();
            assert_eq!(vec.remove(index).value, model.remove(index));
        }
        Step::SwapRemove(index) if !model.is_empty() => {
            let index = index % model.len();
            assert_eq!(vec.swap_remove(index).value, model.swap_remove(index));
        }
        Step::Remove(_) | Step::SwapRemove(_) => {}
        Step::Truncate(len) => {
            vec.truncate(len);
            model.truncate(len);
        }
        Step::Clear => {
            vec.clear();
            model.clear();
        }
        Step::Resize(len, value) => {
            vec.try_resize(len, counter.element(value))?;
            model.resize(len, value);
        }
        Step::Extend(ref more) => {
            let elements: StdVec<_> = more.iter().map(|&value| counter.element(value)).collect();
            vec.try_extend_from_slice(&elements)?;
            model.extend_from_slice(more);
        }
        Step::ExtendIter(ref more) => {
            // The exact size is known beforehand: all items or none are appended.
            vec.try_extend(more.iter().map(|&value| counter.element(value)))?;
            model.extend_from_slice(more);
        }
        Step::Retain(divisor) => {
            vec.retain(|element| element.value % divisor == 0);
            model.retain(|value| value % divisor == 0);
        }
        Step::Reserve(additional) => {
            vec.try_reserve(additional)?;
            assert!(vec.capacity() >= vec.len() + additional);
        }
        Step::ReserveExact(additional) => {
            vec.try_reserve_exact(additional)?;
            assert!(vec.capacity() >= vec.len() + additional);
        }
        Step::Shrink => {
            vec.try_shrink_to_fit()?;
            assert_eq!(vec.capacity(), vec.len());
        }
        Step::Clone => {
            let copy = vec.try_clone()?;
            assert_eq!(values(&copy), *model);
            *vec = copy;
        }
        Step::IntoIter(front, back) => {
            let mut copy = vec.try_clone()?.into_iter();
            let mut expected = model.clone().into_iter();
            assert_eq!(copy.len(), expected.len());
            for _ in 0..front {
                assert_eq!(copy.next().map(|element| element.value), expected.next());
            }
            for _ in 0..back {
                assert_eq!(copy.next_back().map(|element| element.value), expected.next_back());
            }
            assert_eq!(values(copy.as_slice()), expected.as_slice());
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn behaves_like_the_standard_librarys(steps in prop::collection::vec(step(), 0..60)) {
        let system = System::new();
        let counter = Counter::default();
        {
            let mut vec = Vec::new_in(Memory::new(&system));
            let mut model = StdVec::new();
            for step in &steps {
                prop_assert_eq!(take(step, &mut vec, &mut model, &counter), Ok(()));
                prop_assert_eq!(values(&vec), &model[..]);
                prop_assert_eq!(counter.live(), model.len() as isize);
            }
        }
        prop_assert_eq!((counter.live(), system.usage().used), (0, 0));
    }

    #[test]
    fn a_failed_request_changes_nothing(
        steps in prop::collection::vec(step(), 0..60),
        nth in 0..20u64,
    ) {
        let system = System::new();
        let failing = FailAt::new(Memory::new(&system), nth);
        let counter = Counter::default();
        let mut failures = 0;
        {
            let mut vec = Vec::new_in(Memory::new(&failing));
            let mut model: StdVec<u32> = StdVec::new();
            for step in &steps {
                let before = model.clone();
                if take(step, &mut vec, &mut model, &counter).is_err() {
                    failures += 1;
                    prop_assert_eq!(&before, &model);
                }
                prop_assert_eq!(values(&vec), &model[..]);
                prop_assert_eq!(counter.live(), model.len() as isize);
            }
        }
        prop_assert_eq!(failures, u64::from(failing.failed()));
        prop_assert_eq!((counter.live(), system.usage().used), (0, 0));
    }

    #[test]
    fn works_in_a_small_region(steps in prop::collection::vec(step(), 0..60)) {
        let mut bytes = [MaybeUninit::uninit(); 4096];
        let region = Region::new(&mut bytes);
        let counter = Counter::default();
        {
            let mut vec = Vec::new_in(Memory::new(&region));
            let mut model = StdVec::new();
            for step in &steps {
                let _ = take(step, &mut vec, &mut model, &counter);
                prop_assert_eq!(values(&vec), &model[..]);
            }
        }
        prop_assert_eq!((counter.live(), region.usage().used), (0, 0));
    }
}

/// A fixed walk through all steps, each also with a refused request. It is short enough for Miri,
/// which takes hours for the properties above.
#[test]
fn a_walk_through_all_steps() {
    let steps = [
        Step::Push(1),
        Step::PushWithinCapacity(2),
        Step::Insert(1, 3),
        Step::Extend(vec![4, 5, 6, 7]),
        Step::Clone,
        Step::IntoIter(2, 1),
        Step::Remove(2),
        Step::Reserve(9),
        Step::SwapRemove(0),
        Step::ExtendIter(vec![8, 9, 10, 11, 12, 13]),
        Step::Retain(2),
        Step::Shrink,
        Step::PushWithinCapacity(14),
        Step::Resize(12, 15),
        Step::Pop,
        Step::Truncate(9),
        Step::Resize(3, 16),
        Step::ReserveExact(1),
        Step::IntoIter(9, 9),
        Step::Clear,
        Step::Shrink,
        Step::Insert(0, 17),
    ];
    let walk = |heap: &FailAt<'_>| {
        let counter = Counter::default();
        let mut failures = 0;
        {
            let mut vec = Vec::new_in(Memory::new(heap));
            let mut model = StdVec::new();
            for step in &steps {
                failures += u64::from(take(step, &mut vec, &mut model, &counter).is_err());
                assert_eq!(values(&vec), model);
                assert_eq!(counter.live(), model.len() as isize);
            }
        }
        assert_eq!((counter.live(), failures), (0, u64::from(heap.failed())));
    };
    let count = FailAt::never(Memory::system());
    walk(&count);
    assert_eq!(count.requests(), 9);
    for nth in 0..count.requests() {
        let system = System::new();
        walk(&FailAt::new(Memory::new(&system), nth));
        assert_eq!(system.usage().used, 0);
    }
}

#[test]
fn elements_of_no_size_cost_nothing() {
    let mut bytes = [];
    let region = Region::new(&mut bytes);
    let mut vec = Vec::new_in(Memory::new(&region));
    for _ in 0..1000 {
        vec.try_push(()).unwrap();
    }
    vec.insert(500, ()).unwrap();
    assert_eq!((vec.len(), vec.capacity(), vec.pop()), (1001, usize::MAX, Some(())));
    vec.try_resize(5_000, ()).unwrap();
    vec.try_shrink_to_fit().unwrap();
    assert_eq!(vec.iter().count(), 5_000);
    assert_eq!(vec.into_iter().rev().count(), 5_000);
    assert_eq!(region.usage().requests, 0);
}

#[test]
fn elements_of_no_size_are_dropped() {
    static DROPS: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
    struct Token;
    impl Drop for Token {
        fn drop(&mut self) {
            DROPS.fetch_add(1, core::sync::atomic::Ordering::SeqCst);
        }
    }
    let mut vec = Vec::new_in(Memory::system());
    for _ in 0..5 {
        vec.try_push(Token).unwrap();
    }
    let mut rest = vec.into_iter();
    assert!(rest.next().is_some() && rest.next_back().is_some());
    drop(rest);
    assert_eq!(DROPS.load(core::sync::atomic::Ordering::SeqCst), 5);
}

#[test]
fn lengths_that_do_not_fit_are_errors() {
    let too_much = Err(OutOfMemory { requested: usize::MAX });
    let mut words = Vec::<u32>::new_in(Memory::system());
    assert_eq!(words.try_reserve(usize::MAX), too_much);
    assert_eq!(words.try_reserve_exact(usize::MAX / 4 + 1), too_much);
    words.try_push(1).unwrap();
    assert_eq!(words.try_reserve(usize::MAX), too_much);
    assert_eq!(words, [1]);
    let mut units = Vec::new_in(Memory::system());
    units.len = usize::MAX; // Pushing that many would take a while.
    assert_eq!(units.try_push(()), too_much);
    assert_eq!(units.insert(0, ()), too_much);
    assert_eq!(units.push_within_capacity(()), Err(()));
}

#[test]
fn elements_are_aligned() {
    #[derive(Clone, Debug, PartialEq)]
    #[repr(align(128))]
    struct Wide(u8);
    let mut bytes = [MaybeUninit::uninit(); 16384];
    let region = Region::new(&mut bytes);
    let mut odd = Vec::new_in(Memory::new(&region));
    odd.try_push(1u8).unwrap();
    let mut vec = Vec::new_in(Memory::new(&region));
    for i in 0..20 {
        vec.try_push(Wide(i)).unwrap();
        assert_eq!(vec.as_ptr().addr() % 128, 0);
    }
    assert!(vec.iter().enumerate().all(|(i, wide)| wide.0 as usize == i));
}

#[test]
fn growth_doubles_and_exact_is_exact() {
    let mut vec = Vec::new_in(Memory::system());
    assert_eq!(vec.capacity(), 0);
    let mut capacities = StdVec::new();
    for i in 0..20 {
        vec.try_push(i).unwrap();
        if capacities.last() != Some(&vec.capacity()) {
            capacities.push(vec.capacity());
        }
    }
    assert_eq!(capacities, [4, 8, 16, 32]);
    assert_eq!(Vec::<u32>::try_with_capacity_in(5, Memory::system()).unwrap().capacity(), 5);
}

#[test]
fn a_panic_while_cloning_leaves_what_was_made() {
    let counter = Counter::default();
    {
        let mut vec = Vec::new_in(Memory::system());
        let source: StdVec<_> = [1, 2, u32::MAX, 4].map(|v| counter.element(v)).into();
        let extended = catch_unwind(AssertUnwindSafe(|| vec.try_extend_from_slice(&source)));
        assert!(extended.is_err());
        assert_eq!(values(&vec), [1, 2]);
        let copied = catch_unwind(AssertUnwindSafe(|| {
            Vec::try_from_slice_in(&source, Memory::system()).map(|copy| copy.len())
        }));
        assert!(copied.is_err());
        assert_eq!(counter.live(), 6);
    }
    assert_eq!(counter.live(), 0);
}

#[test]
fn a_panicking_destructor_does_not_drop_twice_or_lose_memory() {
    struct Bomb(Element, bool);
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.1, "on purpose");
        }
    }
    let system = System::new();
    let counter = Counter::default();
    let make = || {
        let mut vec = Vec::new_in(Memory::new(&system));
        for i in 0..6 {
            vec.try_push(Bomb(counter.element(i), i == 3)).ok().unwrap();
        }
        vec
    };
    let mut vec = make();
    assert!(catch_unwind(AssertUnwindSafe(|| vec.truncate(2))).is_err());
    assert_eq!((vec.len(), counter.live()), (2, 2));
    assert_eq!((vec[0].0.value, vec[1].0.value), (0, 1));
    drop(vec);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(make()))).is_err());
    let mut rest = make().into_iter();
    rest.next();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(rest))).is_err());
    assert_eq!((counter.live(), system.usage().used), (0, 0));
}

#[test]
fn bad_indices_panic_and_change_nothing() {
    let mut vec = Vec::try_from_slice_in(&[1, 2, 3], Memory::system()).unwrap();
    let mut empty = Vec::<u8>::new_in(Memory::system());
    let panics = |f: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(f)).is_err();
    assert!(panics(&mut || assert_eq!(vec.remove(3), 0)));
    assert!(panics(&mut || assert_eq!(vec.swap_remove(3), 0)));
    assert!(panics(&mut || vec.insert(4, 0).unwrap()));
    assert!(panics(&mut || assert_eq!(empty.remove(0), 0)));
    assert!(panics(&mut || assert_eq!(empty.swap_remove(0), 0)));
    assert_eq!((vec.as_slice(), empty.len()), (&[1, 2, 3][..], 0));
}

#[test]
fn compares_prints_and_iterates() {
    let mut vec = Vec::try_filled_in(1, 2, Memory::system()).unwrap();
    vec.try_extend([2, 3]).unwrap();
    assert_eq!(format!("{vec:?}"), "[1, 1, 2, 3]");
    assert_eq!(vec, [1, 1, 2, 3]);
    assert_eq!(vec, &[1, 1, 2, 3][..]);
    assert_eq!(vec, vec.try_clone().unwrap());
    for value in &mut vec {
        *value *= 2;
    }
    assert_eq!((&vec).into_iter().sum::<i32>(), 14);
    let mut text = Vec::new_in(Memory::system());
    core::fmt::write(&mut text, format_args!("{}-{}", 1, "ü")).unwrap();
    assert_eq!(text, "1-ü".as_bytes());
}

#[test]
fn is_covariant_and_sendable() {
    fn shorten<'s>(vec: Vec<'static, &'static str>, _scope: &'s str) -> Vec<'s, &'s str> {
        vec
    }
    fn sendable<T: Send + Sync>(value: T) -> T {
        value
    }
    let local = std::string::String::from("local");
    let mut vec = shorten(Vec::new_in(Memory::system()), &local);
    vec.try_push(&local).unwrap();
    assert_eq!(sendable(vec), ["local"]);
}

#[test]
fn zeros_are_zeros_where_other_bytes_were_and_count_as_other_blocks() {
    let mut bytes = [MaybeUninit::new(0xaa_u8); 1024];
    let region = Region::new(&mut bytes);
    let mut zeros = Vec::try_zeros_in(20, Memory::new(&region)).unwrap();
    assert_eq!((zeros.as_slice(), region.usage().used), (&[0; 20][..], 80));
    zeros.try_push(7).unwrap();
    assert_eq!((zeros[19], zeros[20]), (0, 7));

    let system = System::new();
    let quota = Quota::new(Memory::new(&system), 100);
    let memory = Memory::new(&quota);
    let zeros = Vec::try_zeros_in(25, memory).unwrap();
    assert_eq!((zeros.as_slice(), system.usage().used), (&[0; 25][..], 100));
    assert_eq!(Vec::try_zeros_in(1, memory), Err(OutOfMemory { requested: 4 }));
    assert_eq!(Vec::try_zeros_in(0, memory).unwrap(), []);
    assert_eq!(Vec::try_zeros_in(usize::MAX, memory), Err(OutOfMemory { requested: usize::MAX }));
    drop(zeros);
    assert_eq!((quota.usage().used, quota.usage().requests), (0, 2));
    let failing = FailAt::new(Memory::new(&system), 0);
    assert_eq!(Vec::try_zeros_in(3, Memory::new(&failing)), Err(OutOfMemory { requested: 12 }));
    assert_eq!((failing.requests(), system.usage().used), (1, 0));
}
