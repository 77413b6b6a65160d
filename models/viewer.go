package models

// Role is what a viewer may do in a project.
type Role string

// Roles, each including the ones before it.
const (
	RoleViewer Role = "viewer"
	RoleEditor Role = "editor"
	RoleAdmin  Role = "admin"
)

// Viewer is the caller's identity. The store scopes every read by it and checks
// every write against it. The zero Viewer sees nothing.
type Viewer struct {
	Name string
	// All gives the role in every project, as the only user of a local server has.
	All Role
	// Roles gives the role in single projects by project id.
	Roles map[string]Role
	// Share limits the viewer to one experiment's result page and nothing else.
	Share string
}

// LocalAdmin is the only user of a server without accounts, and the identity of
// the command line.
func LocalAdmin() Viewer { return Viewer{Name: "admin", All: RoleAdmin} }

func (v Viewer) role(project string) Role {
	if v.Share != "" {
		return ""
	}
	if v.All != "" {
		return v.All
	}
	return v.Roles[project]
}

// CanEdit reports whether the viewer may change things in the project.
func (v Viewer) CanEdit(project string) bool {
	r := v.role(project)
	return r == RoleEditor || r == RoleAdmin
}

// mayRead answers ErrNotFound for a project the viewer has no role in.
func (v Viewer) mayRead(project string) error {
	if v.role(project) == "" {
		return ErrNotFound
	}
	return nil
}

// mayEdit answers ErrNotFound where the viewer sees nothing and ErrForbidden
// where it may only look.
func (v Viewer) mayEdit(project string) error {
	if err := v.mayRead(project); err != nil {
		return err
	}
	if !v.CanEdit(project) {
		return ErrForbidden
	}
	return nil
}

// projects returns the ids the viewer is limited to; all is true for no limit.
func (v Viewer) projects() (ids []string, all bool) {
	if v.Share != "" {
		return nil, false
	}
	if v.All != "" {
		return nil, true
	}
	for id := range v.Roles {
		ids = append(ids, id)
	}
	return ids, false
}
