//! Mutual exclusion on hosts and boards, under one name.
//!
//! With `std` it is the standard library's mutex, which sleeps. Without, it is a flag: a critical
//! section sets it, and a task that finds it set spins outside of the section. Interrupts are
//! disabled for a few instructions only, but a task must not wait for one it has interrupted:
//! interrupts take their locks by [`Mutex::try_lock`].

#[cfg(any(not(feature = "std"), test))]
#[cfg_attr(feature = "std", expect(unreachable_pub, reason = "tested here, exported on boards"))]
mod flag;
#[cfg(any(feature = "std", test))]
#[cfg_attr(
    not(feature = "std"),
    expect(unreachable_pub, reason = "tested here, exported on hosts")
)]
mod host;

#[cfg(not(feature = "std"))]
pub use flag::{Guard, Mutex};
#[cfg(feature = "std")]
pub use host::{Condvar, Guard, Mutex};

#[cfg(test)]
mod tests {
    /// The tests of both mutexes, on a host, although a board's is used on boards only.
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
}
