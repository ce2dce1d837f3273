package fermata

// KnownPlans is how many plans a runtime keeps.
func KnownPlans(rt *Runtime) int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return len(rt.plans.known)
}
