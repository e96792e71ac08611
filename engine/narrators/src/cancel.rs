use core::time::Duration;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Calls off what is under way; clones share one answer.
#[derive(Clone, Default)]
pub struct Cancel(Arc<(Mutex<bool>, Condvar)>);

impl Cancel {
    /// Calls off.
    pub fn raise(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Whether it was called off.
    pub fn is_raised(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until it is called off, which is `true`.
    pub(crate) fn wait(&self, duration: Duration) -> bool {
        let raised = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(raised, duration, |raised| !*raised);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
