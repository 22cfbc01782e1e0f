//! Mutual exclusion on hosts and boards, under one name.
//!
//! | build | [`Mutex`] | `Once` | heaps and `SecondCore` |
//! |---|---|---|---|
//! | `std` | the standard library's, which sleeps | `OnceLock` | critical sections |
//! | `spin` | a spin lock | `spin::Once` | spin locks |
//! | neither | a flag, set in a critical section | none | critical sections |
//!
//! A task that finds the flag set spins outside of the section, so interrupts are disabled only for
//! a few instructions. An interrupt must not wait for the task that it interrupted: it takes locks
//! by [`Mutex::try_lock`]. With `spin` nothing disables interrupts, so they must not use the heap
//! either.

#[cfg(any(not(any(feature = "std", feature = "spin")), test))]
#[cfg_attr(
    any(feature = "std", feature = "spin"),
    expect(unreachable_pub, reason = "tested here, exported where nothing else is")
)]
mod flag;
#[cfg(any(feature = "std", test))]
#[cfg_attr(
    not(feature = "std"),
    expect(unreachable_pub, reason = "tested here, exported on hosts")
)]
mod host;
mod section;
#[cfg(any(all(feature = "spin", not(feature = "std")), test))]
#[cfg_attr(
    any(feature = "std", not(feature = "spin")),
    expect(unreachable_pub, reason = "tested here, exported on boards")
)]
mod spinning;

#[cfg(not(any(feature = "std", feature = "spin")))]
pub use flag::{Guard, Mutex};
#[cfg(feature = "std")]
pub use host::{Condvar, Guard, Mutex, Once};
pub(crate) use section::Section;
#[cfg(all(feature = "spin", not(feature = "std")))]
pub use spinning::{Guard, Mutex, Once};

#[cfg(test)]
mod tests {
    /// The tests of all mutexes. They run on a host, although some mutexes are used only on boards.
    macro_rules! mutex_tests {
        ($name:ident, $mutex:path) => {
            mod $name {
                use std::format;
                use $mutex as Mutex;

                #[test]
                fn excludes() {
                    const ROUNDS: u64 = if cfg!(miri) { 20 } else { 10_000 };
                    let counter = Mutex::new(0u64);
                    std::thread::scope(|scope| {
                        for _ in 0..4 {
                            scope.spawn(|| {
                                for _ in 0..ROUNDS {
                                    let mut guard = counter.lock();
                                    let seen = *guard;
                                    *guard = core::hint::black_box(seen) + 1;
                                }
                            });
                        }
                    });
                    assert_eq!(counter.into_inner(), 4 * ROUNDS);
                }

                #[test]
                fn try_lock_fails_while_locked() {
                    let mut mutex = Mutex::new(1);
                    let guard = mutex.lock();
                    assert!(mutex.try_lock().is_none());
                    assert_eq!(format!("{mutex:?}"), "Mutex(<locked>)");
                    drop(guard);
                    *mutex.try_lock().unwrap() = 2;
                    *mutex.get_mut() += 1;
                    assert_eq!(format!("{mutex:?}"), "Mutex(3)");
                    assert_eq!(mutex.into_inner(), 3);
                }

                #[test]
                fn a_panic_unlocks() {
                    let mutex = Mutex::new(5);
                    let panicked = std::thread::scope(|scope| {
                        scope
                            .spawn(|| {
                                let _guard = mutex.lock();
                                panic!("on purpose");
                            })
                            .join()
                            .is_err()
                    });
                    assert!(panicked);
                    assert_eq!(*mutex.lock(), 5);
                }

                #[test]
                fn makes_statics_of_what_is_only_send() {
                    static SHARED: Mutex<core::cell::Cell<u32>> =
                        Mutex::new(core::cell::Cell::new(1));
                    let guard = SHARED.lock();
                    guard.set(guard.get() + 1);
                    assert_eq!(guard.get(), 2);
                }
            }
        };
    }

    mutex_tests!(host, crate::sync::host::Mutex);
    mutex_tests!(flag, crate::sync::flag::Mutex);
    mutex_tests!(spinning, crate::sync::spinning::Mutex);

    macro_rules! once_test {
        ($name:ident, $once:path) => {
            #[test]
            fn $name() {
                use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
                use $once as Once;

                let (once, made) = (Once::new(), AtomicUsize::new(0));
                assert_eq!(once.get(), None);
                std::thread::scope(|scope| {
                    for _ in 0..4 {
                        scope.spawn(|| {
                            let value = once.get_or_init(|| {
                                std::thread::yield_now();
                                made.fetch_add(1, Relaxed) + 7
                            });
                            assert_eq!(*value, 7);
                        });
                    }
                });
                assert_eq!((once.get(), made.into_inner()), (Some(&7), 1));
            }
        };
    }

    once_test!(host_makes_one_value, crate::sync::host::Once);
    once_test!(spinning_makes_one_value, crate::sync::spinning::Once);

    #[test]
    fn sections_exclude() {
        const ROUNDS: u64 = if cfg!(miri) { 20 } else { 10_000 };
        let section = super::Section::new([0u64; 2]);
        #[expect(unsafe_code, reason = "the closure does not use the section")]
        // SAFETY: see above.
        let read = || unsafe { section.with(|counts| *counts) };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        #[expect(unsafe_code, reason = "the closure does not use the section")]
                        // SAFETY: see above.
                        unsafe {
                            section.with(|[first, second]| {
                                *first = core::hint::black_box(*first) + 1;
                                *second = core::hint::black_box(*second) + 1;
                            });
                        }
                        // Both numbers change in one section.
                        let [first, second] = read();
                        assert_eq!(first, second);
                    }
                });
            }
        });
        assert_eq!(read(), [4 * ROUNDS; 2]);
    }
}
