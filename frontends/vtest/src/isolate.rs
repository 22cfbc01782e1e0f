//! One process per client: a client that takes over its process cannot reach other clients.
//!
//! The server starts its own program again for each connection, with the socket as standard input,
//! a socket for [`Asks`] as standard output and [`--only-client`](OPTION) among its arguments. The
//! only other open files of that process are its [`Diary`] and the log. Its environment has only
//! the pipeline's options. It has no capabilities and a limited address space. A filter allows only
//! the system calls and arguments that drawing needs: the process can open no file, connect
//! nowhere, start no process or thread, run only its own code, and signal no other process.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_setfd, retry_on_intr};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, getrlimit, pidfd_open,
    set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter_all_threads,
};

use crate::asks::Asks;
use crate::diary::Diary;

/// The option with the number of the only client of a process.
pub const OPTION: &str = "--only-client";
/// The option with the number of the open file that is the diary.
const DIARY_OPTION: &str = "--diary";

/// The beginning of the names of the pipeline's options.
const ENVIRONMENT: &str = "GALLIUM_";

/// The longest time that a process may outlive its client.
const AFTERLIFE: Duration = Duration::from_secs(1);

/// Bytes of address space in addition to the client's memory: for the program, its stacks, and the
/// allocator's reserve per thread.
const BASE_BYTES: u64 = 2 << 30;
const THREAD_BYTES: u64 = 256 << 20;

/// The program that each client's process runs.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    /// Held while a process starts. A process inherits the diaries that are open to processes.
    starts: Mutex<()>,
}

impl Program {
    /// Returns this process's own program and arguments.
    ///
    /// # Errors
    /// The system does not report the program's path.
    pub fn own() -> Result<Self> {
        let path = std::env::current_exe().context("cannot find the server's own program")?;
        let arguments = std::env::args_os().skip(1).collect();
        Ok(Program { path, arguments, starts: Mutex::new(()) })
    }

    /// Starts a process that serves a client, keeps a diary and asks for turns at the other end of
    /// `asks`.
    ///
    /// # Errors
    /// The system's.
    pub fn start(
        &self,
        number: u64,
        stream: &UnixStream,
        diary: &Diary,
        asks: UnixStream,
    ) -> std::io::Result<Child> {
        let options = std::env::vars_os()
            .filter(|(name, _)| name.as_encoded_bytes().starts_with(ENVIRONMENT.as_bytes()));
        let mut command = Command::new(&self.path);
        command
            .env_clear()
            .envs(options)
            .args(&self.arguments)
            .args([OPTION, &number.to_string()])
            .args([DIARY_OPTION, &diary.as_fd().as_raw_fd().to_string()])
            .stdin(Stdio::from(OwnedFd::from(stream.try_clone()?)))
            .stdout(Stdio::from(OwnedFd::from(asks)));
        let _alone = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        fcntl_setfd(diary, FdFlags::empty())?;
        let process = command.spawn();
        fcntl_setfd(diary, FdFlags::CLOEXEC)?;
        process
    }
}

/// Waits until a client's process has ended. Returns its status; `None` if it outlived its client
/// by [`AFTERLIFE`] and was killed.
///
/// # Errors
/// The system's; the process is killed.
pub fn wait(process: &mut Child, client: &UnixStream) -> std::io::Result<Option<ExitStatus>> {
    match ends(process, client) {
        Ok(true) => process.wait().map(Some),
        other => {
            // The process may have ended meanwhile. Wait for it, or it would stay as a zombie.
            process.kill()?;
            process.wait()?;
            other.map(|_| None)
        }
    }
}

/// Waits for a process to end, at most [`AFTERLIFE`] after its client hung up. Returns true if the
/// process has ended.
fn ends(process: &Child, client: &UnixStream) -> std::io::Result<bool> {
    let end = pidfd_open(Pid::from_child(process), PidfdFlags::empty())?;
    let ended = PollFd::new(&end, PollFlags::IN);
    // Without events to wait for, a socket still reports that the other end is closed.
    let mut files = [ended.clone(), PollFd::new(client, PollFlags::empty())];
    retry_on_intr(|| poll(&mut files, None))?;
    let mut ended = [ended];
    let rest = Timespec { tv_sec: AFTERLIFE.as_secs().cast_signed(), tv_nsec: 0 };
    Ok(retry_on_intr(|| poll(&mut ended, Some(&rest)))? > 0)
}

/// Returns the socket of the only client, which is the standard input.
///
/// # Errors
/// There is no standard input.
pub fn stream() -> std::io::Result<UnixStream> {
    Ok(std::io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Returns the asks of the only client for turns, which go to the standard output.
///
/// # Errors
/// There is no standard output.
pub fn asks() -> std::io::Result<Asks> {
    Ok(Asks::from_file(std::io::stdout().as_fd().try_clone_to_owned()?))
}

/// Returns the diary of the only client, which is the open file `number`.
///
/// # Errors
/// There is no such file.
pub fn diary(number: u32) -> std::io::Result<Diary> {
    let path = format!("/proc/self/fd/{number}");
    Ok(Diary::from_file(File::options().read(true).write(true).open(path)?.into()))
}

/// Drops the capabilities that the server has if root started it. Threads that start later have
/// none either.
///
/// # Errors
/// The system's.
pub fn drop_capabilities() -> Result<()> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).context("cannot give up capabilities")
}

/// Confines this process to drawing with `threads` threads for a client that may use
/// `client_bytes`. All threads must have started. From now on, the process ends when the server
/// ends.
///
/// # Errors
/// The system lacks a feature that this needs. The caller must not draw then.
pub fn confine(client_bytes: usize, threads: usize) -> Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL)).context("cannot end with the server")?;
    let space = (client_bytes as u64)
        .saturating_add(BASE_BYTES)
        .saturating_add(THREAD_BYTES.saturating_mul(threads as u64 + 2));
    lower(Resource::As, space).context("cannot limit the address space")?;
    lower(Resource::Core, 0).context("cannot forbid core files")?;
    lower(Resource::Nproc, 0).context("cannot forbid threads and processes")?;
    // A write beyond the limit fails, but does not end the process: the log may reach the limit.
    let ignored = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(libc::SIGXFSZ, ignored).context("cannot ignore a signal")?;
    lower(Resource::Fsize, client_bytes as u64).context("cannot limit the size of files")?;
    let plain = SYSTEM_CALLS.iter().map(|call| (*call, Vec::new()));
    let rules = plain.chain(rules_by_argument()?).collect();
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let arch = std::env::consts::ARCH.try_into().context("no filter of system calls here")?;
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)?;
    let program = BpfProgram::try_from(filter)?;
    apply_filter_all_threads(&program).context("cannot filter system calls")
}

/// Returns the system calls that are allowed only with some arguments.
fn rules_by_argument() -> Result<Vec<(libc::c_long, Vec<SeccompRule>)>> {
    /// Returns a rule for the low 32 bits of one argument. The system reads only these bits.
    fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule> {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
        Ok(SeccompRule::new(vec![condition])?)
    }
    let one_of = |argument, values: &[libc::c_int]| -> Result<Vec<SeccompRule>> {
        let equal = |value: &libc::c_int| {
            rule(argument, SeccompCmpOp::Eq, u64::from(value.cast_unsigned()))
        };
        values.iter().map(equal).collect()
    };
    let not_executable =
        || Ok::<_, anyhow::Error>(vec![rule(2, SeccompCmpOp::MaskedEq(PROT_EXEC), 0)?]);
    let own = std::process::id().cast_signed();
    Ok(vec![
        // A panic or a lack of memory aborts the process by a signal to itself.
        (libc::SYS_tgkill, one_of(0, &[own])?),
        (libc::SYS_mmap, not_executable()?),
        (libc::SYS_mprotect, not_executable()?),
        // Names of threads, and of the allocator's memory.
        (libc::SYS_prctl, one_of(0, &[libc::PR_SET_NAME, libc::PR_SET_VMA])?),
        // Shared memory is sealed; sockets are copied; files are checked to be open.
        (libc::SYS_fcntl, one_of(1, &[libc::F_ADD_SEALS, libc::F_DUPFD_CLOEXEC, libc::F_GETFD])?),
    ])
}

/// The bit of executable memory in the protection of `mmap` and `mprotect`.
const PROT_EXEC: u64 = libc::PROT_EXEC as u64;

/// Lowers a limit of this process to `value`, if it is higher.
fn lower(resource: Resource, value: u64) -> std::io::Result<()> {
    let limit = getrlimit(resource);
    let value = limit.maximum.map_or(value, |maximum| maximum.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// The system calls that drawing for a client needs, in addition to [`rules_by_argument`]. Other
/// calls fail with `EPERM`.
const SYSTEM_CALLS: &[libc::c_long] = &[
    // The socket, and the files shared over it.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_shutdown,
    libc::SYS_getsockopt,
    libc::SYS_setsockopt,
    libc::SYS_memfd_create,
    libc::SYS_ftruncate,
    libc::SYS_close,
    libc::SYS_ppoll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Threads and time.
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_getrandom,
    libc::SYS_exit,
    libc::SYS_exit_group,
];
