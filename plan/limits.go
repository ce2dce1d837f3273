package plan

// amounts checks the limits on what models may take.
func (c *checker) amounts() {
	if n := c.def.Limits.Tokens; n < 0 {
		c.plan(BadPolicy, "the limit of tokens is %d; it may not be negative, and 0 is no limit", n)
	}
	if n := c.def.Limits.Cost; n < 0 {
		c.plan(BadPolicy, "the limit of cost is %d micro-dollars; it may not be negative, and 0 is no limit", n)
	}
}
