//! The thread of the application, which makes the system calls of a script: a call that blocks does not stop the clock
//! and the packets.

use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::system::{Reply, failure};
use ackclock_drill::Stop;

/// A system call with its arguments.
pub type Job = Box<dyn FnOnce() -> Reply + Send>;

/// The thread.
pub struct Worker {
    jobs: Sender<Job>,
    replies: Receiver<Reply>,
    /// Counts the replies that were not yet taken.
    event: OwnedFd,
    /// Whether the call was begun.
    begun: Arc<AtomicBool>,
    /// Path of the state of the thread.
    state: String,
}

impl Worker {
    /// Starts the thread in the namespaces of the calling thread.
    ///
    /// # Errors
    /// The system's error.
    pub fn start() -> Result<Worker, Stop> {
        // SAFETY: eventfd takes numbers and returns a descriptor that nothing else owns.
        #[expect(unsafe_code, reason = "an event counter is made by a system call that nothing safe makes")]
        let event = unsafe {
            let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
            if fd < 0 {
                return Err(failure("eventfd"));
            }
            OwnedFd::from_raw_fd(fd)
        };
        let (jobs, inbox) = channel::<Job>();
        let (outbox, replies) = channel();
        let (tell, told) = channel();
        let begun = Arc::new(AtomicBool::new(false));
        let (mark, counter) = (Arc::clone(&begun), event.as_raw_fd());
        std::thread::Builder::new()
            .name("application".to_owned())
            .spawn(move || {
                // SAFETY: gettid takes nothing and returns a number.
                #[expect(unsafe_code, reason = "the number of a thread comes from a system call")]
                let _ = tell.send(unsafe { libc::gettid() });
                while let Ok(job) = inbox.recv() {
                    mark.store(true, Ordering::SeqCst);
                    let reply = job();
                    let one = 1u64.to_ne_bytes();
                    if outbox.send(reply).is_err() {
                        return;
                    }
                    // SAFETY: the counter lives as long as the receiver of the replies, and the buffer has 8 bytes.
                    #[expect(unsafe_code, reason = "an event counter is a raw descriptor in this thread")]
                    unsafe {
                        libc::write(counter, one.as_ptr().cast(), one.len());
                    }
                }
            })
            .map_err(|error| Stop::Fail(format!("the application's thread: {error}")))?;
        let id = told.recv().map_err(|_| Stop::Fail("the application's thread ended".to_owned()))?;
        Ok(Worker { jobs, replies, event, begun, state: format!("/proc/self/task/{id}/stat") })
    }

    /// Hands a call to the thread.
    ///
    /// # Errors
    /// A thread that has ended.
    pub fn submit(&self, job: Job) -> Result<(), Stop> {
        self.begun.store(false, Ordering::SeqCst);
        self.jobs.send(job).map_err(|_| Stop::Fail("the application's thread ended".to_owned()))
    }

    /// The result of the call, if it has ended.
    pub fn take(&self) -> Option<Reply> {
        let reply = self.replies.try_recv().ok()?;
        let mut count = [0; 8];
        // The counter is written after the reply.
        // SAFETY: the buffer has the 8 bytes of a counter.
        #[expect(unsafe_code, reason = "reading an event counter is a system call")]
        while unsafe { libc::read(self.event.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) } < 0 {
            std::thread::yield_now();
        }
        Some(reply)
    }

    /// Whether the result of a call is there.
    pub fn has_ended(&self) -> bool {
        let mut wait = libc::pollfd { fd: self.event.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the pointer is to a value that lives until the call returns, and the count is one.
        #[expect(unsafe_code, reason = "asking whether a descriptor is readable is a system call")]
        unsafe {
            libc::poll(&raw mut wait, 1, 0) > 0
        }
    }

    /// Lets the thread run until its call has ended or sleeps. Returns the result of a call that has ended.
    ///
    /// # Errors
    /// The state of the thread cannot be read.
    pub fn settle(&self) -> Result<Option<Reply>, Stop> {
        loop {
            let begun = self.begun.load(Ordering::SeqCst);
            let sleeps = begun && self.sleeps()?;
            let reply = self.take();
            if reply.is_some() || sleeps {
                return Ok(reply);
            }
            std::thread::yield_now();
        }
    }

    /// Whether the thread sleeps: in its call, or for the next one.
    fn sleeps(&self) -> Result<bool, Stop> {
        let failed = |error| Stop::Fail(format!("{}: {error}", self.state));
        let text = fs::read_to_string(&self.state).map_err(failed)?;
        // The state follows the name in parentheses (proc_pid_stat(5)).
        let state = text.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
        Ok(matches!(state, Some('S' | 'D')))
    }

    /// The descriptor that is readable while there is a result.
    pub fn descriptor(&self) -> RawFd {
        self.event.as_raw_fd()
    }
}
