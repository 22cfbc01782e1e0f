//! Hostile code inside the process of a client: the system refuses its calls.
//!
//! The test runs itself again as another process. That process confines itself as the processes of
//! clients do, and then makes the calls that injected code would make.

use std::ffi::CStr;
use std::process::{Command, exit};

use gallium_vtest::isolate;

/// The environment variable that is set in the confined process.
const INSIDE: &str = "GALLIUM_TEST_INSIDE";

/// A system call, and its result.
type Attempt = (&'static str, fn() -> libc::c_long);

const PAGE: usize = 4096;
/// The command of `fcntl` that chooses the signal of a file.
const F_SETSIG: usize = 10;
const ANONYMOUS: libc::c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;

/// Asks for memory of this protection; returns -1 if there is none.
fn map(protection: libc::c_int) -> libc::c_long {
    // SAFETY: the system chooses an unused address.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), PAGE, protection, ANONYMOUS, -1, 0) };
    if at == libc::MAP_FAILED { -1 } else { 0 }
}

/// Makes a system call with numbers and strings as arguments.
fn call(number: libc::c_long, a: usize, b: usize, c: usize) -> libc::c_long {
    // SAFETY: the calls below pass numbers and addresses of strings that outlive the call. Calls
    // that could change memory of this process are refused or leave the memory unchanged.
    unsafe { libc::syscall(number, a, b, c, 0, 0, 0) }
}

fn text(text: &'static CStr) -> usize {
    text.as_ptr() as usize
}

/// Returns the number of the server's process.
fn server() -> usize {
    // SAFETY: the call has no arguments.
    unsafe { libc::getppid() as usize }
}

const REFUSED: &[Attempt] = &[
    ("fork", || call(libc::SYS_clone, libc::SIGCHLD as usize, 0, 0)),
    ("clone3", || call(libc::SYS_clone3, 0, 0, 0)),
    ("a thread", || std::thread::Builder::new().spawn(|| ()).map_or(-1, |_| 0)),
    ("a program", || call(libc::SYS_execve, text(c"/bin/true"), 0, 0)),
    ("a file", || call(libc::SYS_openat, libc::AT_FDCWD as usize, text(c"/etc/passwd"), 0)),
    ("a socket", || call(libc::SYS_socket, libc::AF_UNIX as usize, libc::SOCK_STREAM as usize, 0)),
    ("a signal to a process", || call(libc::SYS_kill, std::process::id() as usize, 0, 0)),
    ("a signal to another thread", || call(libc::SYS_tgkill, server(), server(), 0)),
    ("a signal by a file", || call(libc::SYS_fcntl, 0, libc::F_SETOWN as usize, server())),
    ("another signal by a file", || call(libc::SYS_fcntl, 0, F_SETSIG, 9)),
    ("executable memory", || map(libc::PROT_READ | libc::PROT_EXEC)),
    ("memory that becomes executable", || {
        // SAFETY: the system chooses an unused address, and refuses the call.
        unsafe {
            let at = libc::mmap(std::ptr::null_mut(), PAGE, libc::PROT_READ, ANONYMOUS, -1, 0);
            libc::mprotect(at, PAGE, libc::PROT_READ | libc::PROT_EXEC).into()
        }
    }),
    ("to outlive the server", || call(libc::SYS_prctl, libc::PR_SET_PDEATHSIG as usize, 0, 0)),
    ("to be traced", || call(libc::SYS_prctl, libc::PR_SET_DUMPABLE as usize, 1, 0)),
    ("to trace", || call(libc::SYS_ptrace, libc::PTRACE_ATTACH as usize, server(), 0)),
    ("memory of the server", || call(libc::SYS_process_vm_readv, server(), 0, 0)),
    ("higher limits", || call(libc::SYS_prlimit64, 0, libc::RLIMIT_NPROC as usize, 0)),
    ("a large file", || {
        let file =
            rustix::fs::memfd_create("large", rustix::fs::MemfdFlags::CLOEXEC).expect("a file");
        rustix::fs::ftruncate(&file, (64 << 20) + 1).map_or(-1, |()| 0)
    }),
];

const ALLOWED: &[Attempt] = &[
    ("a signal to itself", || {
        // SAFETY: the call has no arguments.
        let thread = unsafe { libc::gettid() } as usize;
        call(libc::SYS_tgkill, std::process::id() as usize, thread, 0)
    }),
    ("memory", || map(libc::PROT_READ | libc::PROT_WRITE)),
    ("shared memory", || {
        gallium_vtest::shared_memory::SharedMemory::new(64 << 20).map_or(-1, |_| 0)
    }),
    ("a copy of a socket", || isolate::stream().map_or(-1, |_| 0)),
    ("a name", || call(libc::SYS_prctl, libc::PR_SET_NAME as usize, text(c"client"), 0)),
];

#[test]
fn code_in_a_clients_process_is_refused_all_that_drawing_does_not_need() {
    if std::env::var_os(INSIDE).is_none() {
        let name = "jail::code_in_a_clients_process_is_refused_all_that_drawing_does_not_need";
        let mut again = Command::new(std::env::current_exe().expect("this program"));
        again.args(["--exact", name, "--nocapture", "--test-threads", "1"]).env(INSIDE, "1");
        let output = again.output().expect("another process");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        return;
    }
    isolate::drop_capabilities().expect("fewer rights are always granted");
    isolate::confine(64 << 20, 1).expect("confined");
    let mut wrong = 0;
    for (attempts, refused) in [(REFUSED, true), (ALLOWED, false)] {
        for (what, attempt) in attempts {
            if (attempt() == -1) != refused {
                eprintln!("{what}: {}", if refused { "allowed" } else { "refused" });
                wrong += 1;
            }
        }
    }
    exit(wrong);
}
