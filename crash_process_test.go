package fermata_test

const childVariable = "FERMATA_TEST_CHILD"

func beChild(name string) int { return 2 }
