package components

// Status is the state of an experiment in one word.
type Status string

// States of an experiment.
const (
	Draft    Status = "draft"
	Queued   Status = "queued"
	Running  Status = "running"
	Stopping Status = "stopping"
	Stopped  Status = "stopped"
	Done     Status = "done"
	Failed   Status = "failed"
)

func (s Status) known() Status {
	switch s {
	case Queued, Running, Stopping, Stopped, Done, Failed:
		return s
	}
	return Draft
}

// Says is the one-sentence meaning of a status.
func (s Status) Says() string {
	switch s.known() {
	case Queued:
		return "Waiting for a worker."
	case Running:
		return "Votes are being asked for."
	case Stopping:
		return "No new calls are made; those in flight are let finish."
	case Stopped:
		return "Stopped before every item was finished; it can be resumed."
	case Done:
		return "Every item is finished or has ended in an error."
	case Failed:
		return "It could not go on; the reason is on the page."
	}
	return "Not started."
}

// Active reports whether the state will change by itself.
func (s Status) Active() bool { return s == Queued || s == Running || s == Stopping }
