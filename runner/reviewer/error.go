package reviewer

import (
	"fmt"
	"strings"
	"time"
)

// Class says what kind of failure kept an endpoint from answering.
type Class string

// The classes of failure.
const (
	ClassAuth          Class = "auth"           // 401, 403, or the key cannot be read
	ClassRateLimited   Class = "rate_limited"   // 429, 529
	ClassTimeout       Class = "timeout"        // no answer within the request timeout
	ClassServer        Class = "server"         // 5xx, or a 200 with an error object
	ClassBadRequest    Class = "bad_request"    // other 4xx
	ClassContentFilter Class = "content_filter" // the provider blocked prompt or answer
	ClassMalformed     Class = "malformed_body" // not the JSON the protocol promises
	ClassNetwork       Class = "network"        // no connection, reset, cut off
	ClassCanceled      Class = "canceled"       // the caller gave up; not the provider's fault
	ClassNotRecorded   Class = "not_recorded"   // a replay has no such vote
)

// Error is a request that brought no answer. Its text holds no key and no markup.
type Error struct {
	Class      Class         `json:"class"`
	Status     int           `json:"status,omitempty"` // HTTP status of the last attempt; 0 when none arrived
	Message    string        `json:"message"`
	RetryAfter time.Duration `json:"retry_after,omitempty"` // as the server asked; 0 when it did not
	Attempts   int           `json:"attempts"`
	Permanent  bool          `json:"permanent"` // asking again unchanged cannot help
	Failures   []Failure     `json:"failures,omitempty"`

	cause error
}

// Error names class, status, message and attempts.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("ask reviewer: ")
	b.WriteString(strings.ReplaceAll(string(e.Class), "_", " "))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, ", after %d attempts", e.Attempts)
	}
	return b.String()
}

// Unwrap gives context.Canceled or context.DeadlineExceeded where the caller's
// context ended the request, and nil otherwise: transport errors may quote URLs.
func (e *Error) Unwrap() error { return e.cause }
