package sandbox

import "strings"

// InstanceImages are the names under which the image of a SWE-bench instance is
// published or built, most usual first. The engines allow no double underscore in
// a name, so the published ones write _1776_ for it.
func InstanceImages(instanceID string) []string {
	id := strings.ToLower(instanceID)
	plain := strings.ReplaceAll(id, "__", "_1776_")
	return []string{
		"swebench/sweb.eval.x86_64." + plain + ":latest",
		"docker.io/swebench/sweb.eval.x86_64." + plain + ":latest",
		"sweb.eval.x86_64." + id + ":latest",
		"sweb.eval.arm64." + id + ":latest",
	}
}

// Places inside a SWE-bench image.
const (
	ImageRepo = "/testbed" // the repository at its base commit
	// ImagePath puts the environment that the image holds for the tests first.
	ImagePath = "/opt/miniconda3/envs/testbed/bin:/opt/miniconda3/bin:" + SystemPath
)
