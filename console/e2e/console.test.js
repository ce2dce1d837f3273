// The console as people use it, against the real binary. Waits are for what happens; their limit is minutes.

import assert from "node:assert/strict";
import { writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { launch } from "./browser.js";
import { Server } from "./server.js";

const limit = Number(process.env.LIMIT ?? 120_000);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const server = new Server(new URL("recipes", import.meta.url).pathname);
let browser;
let errors;
let contexts;

before(async () => {
  await server.start();
  browser = await launch();
}, { timeout: limit });

after(async () => {
  await browser?.close();
  await server.end();
});

beforeEach(() => {
  errors = [];
  contexts = [];
});

afterEach(async () => {
  for (const context of contexts) await context.close();
  assert.deepEqual(errors, [], "the page reports errors");
});

/** A browser of somebody, with nothing remembered but their name. */
async function person(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", reducedMotion: "reduce", ...options });
  contexts.push(context);
  context.setDefaultTimeout(limit / 2);
  if (name) await context.addInitScript((n) => localStorage.setItem("fermata.name", n), name);
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|ERR_/.test(message.text())) errors.push(message.text());
  });
  return page;
}

const status = (page, text) => page.locator("main .facts .status", { hasText: text });

test("a newcomer starts a run, answers its question, and sees it completed", { timeout: limit }, async () => {
  const page = await person("");
  await page.goto(server.url + "/");
  await page.getByRole("link", { name: "Definitions" }).click();
  await page.getByRole("link", { name: /hostile/ }).click();
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("Say who you are").waitFor();
  await page.getByRole("textbox", { name: "as" }).fill("Ada");
  await page.getByRole("button", { name: "Start" }).click();
  await status(page, "waiting").waitFor();
  assert.match(page.url(), /\/runs\/run_/);
  await page.getByRole("link", { name: /Inbox/ }).click();
  await page.getByRole("link", { name: /שלום/ }).click();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("Choose one of these").waitFor();
  await page.getByRole("radio", { name: "ok", exact: true }).check();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByRole("link", { name: "hostile" }).click();
  await status(page, "completed").waitFor();
  await page.getByRole("heading", { name: "Result" }).waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined, "a text acted");
});

test("a run that failed says why, and is retried", { timeout: limit }, async () => {
  const run = await server.run("delivery", "failed");
  const page = await person("Ada");
  await page.goto(server.url + "/runs?status=failed");
  await page.getByRole("link", { name: "delivery" }).first().click();
  await page.getByRole("heading", { name: /drive#1 failed/ }).waitFor();
  await page.locator(".reason", { hasText: "the truck is not there" }).waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("goes on from what failed: drive#1").waitFor();
  await dialog.getByText("1 finished task is kept").waitFor();
  writeFileSync(join(server.dir, "truck"), "");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await status(page, "completed").waitFor();
  await server.stands(run, "completed");
  await page.locator(".scrubber .what", { hasText: "run ended" }).waitFor();
  await page.locator(".timeline .status", { hasText: "failed" }).first().waitFor({ state: "detached" });
  rmSync(join(server.dir, "truck"));
});

test("the journal is travelled: drawing, value and timeline are those of an entry", { timeout: limit }, async () => {
  const run = await server.run("delivery", "failed");
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  await page.locator(".drawing .node.failed", { hasText: "drive" }).waitFor();
  await page.locator(".members", { hasText: "packed" }).waitFor();
  await page.getByRole("slider").fill("1");
  await page.getByRole("heading", { name: "Value at entry 1" }).waitFor();
  await page.getByText(/You look at entry 1 of/).waitFor();
  await page.locator(".members", { hasText: "packed" }).waitFor({ state: "detached" });
  await page.locator(".drawing .node:is(.done,.failed,.running)").first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Now" }).click();
  await page.locator(".drawing .node.failed", { hasText: "drive" }).waitFor();
  await page.getByRole("tab", { name: "Events" }).click();
  await page.getByLabel("Only failures").check();
  await page.locator(".events summary", { hasText: "drive#1" }).first().click();
  await page.locator(".events .data", { hasText: "the truck is not there" }).first().waitFor();
});

test("an open run is cancelled, after the dialog has said what happens", { timeout: limit }, async () => {
  const run = await server.run("hostile");
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("button", { name: "Cancel run" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 open question is withdrawn").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Cancel run" }).click();
  await dialog.getByLabel(/Reason/).fill("ordered twice");
  await dialog.getByRole("button", { name: "Cancel the run" }).click();
  await status(page, "cancelled").waitFor();
  await page.locator(".reason", { hasText: "ordered twice" }).waitFor();
});

test("two people at one question see each other", { timeout: limit }, async () => {
  await server.run("everything");
  const [ada, bob] = [await person("Ada"), await person("Bob")];
  for (const page of [ada, bob]) {
    await page.goto(server.url + "/");
    await page.getByRole("heading", { name: "Fill in everything" }).waitFor();
  }
  await bob.getByLabel("Name", { exact: true }).fill("half a word");
  await ada.getByRole("button", { name: "Claim" }).click();
  await bob.locator(".pane .chip", { hasText: "claimed by Ada" }).waitFor();
  await bob.getByText("Ada keeps this question").waitFor();
  assert.equal(await bob.getByRole("button", { name: /^(Answer|Give back|Claim)$/ }).count(), 0);
  await ada.getByLabel("Name", { exact: true }).fill("Ada's");
  await ada.getByRole("radio", { name: "no", exact: true }).first().check();
  await ada.getByRole("radio", { name: "medium" }).check();
  await ada.getByLabel("Count").fill("3");
  await ada.getByLabel("Mail").fill("ada@example.com");
  await ada.getByRole("group", { name: /Stops/ }).getByRole("button", { name: "Add" }).click();
  await ada.getByLabel("Town").fill("Bern");
  await ada.getByRole("button", { name: "Answer" }).click();
  await ada.getByText("Nothing waits for you").waitFor();
  await bob.getByText("Answered by Ada").waitFor();
  assert.equal(await bob.getByLabel("Name", { exact: true }).inputValue(), "half a word");
  await bob.getByRole("button", { name: "Copy what you wrote" }).waitFor();
  assert.equal(await bob.getByRole("button", { name: "Answer", exact: true }).count(), 0);
});

test("what was written in a review survives a reload and a walk through the pages", { timeout: limit }, async () => {
  const run = await server.run("letter");
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("radio", { name: "Send back" }).check();
  await page.getByLabel("Note").fill("shorter");
  await page.reload();
  await page.getByLabel("Note").waitFor();
  assert.equal(await page.getByLabel("Note").inputValue(), "shorter");
  await page.getByRole("radio", { name: "Edit" }).check();
  await page.locator(".edited textarea, .edited input").first().fill("Dear Bob");
  await page.getByRole("link", { name: "Runs", exact: true }).first().click();
  await page.getByRole("link", { name: /Inbox/ }).click();
  await page.getByRole("link", { name: /Send this letter/ }).click();
  await page.locator(".edited textarea, .edited input").first().waitFor();
  assert.equal(await page.locator(".edited textarea, .edited input").first().inputValue(), "Dear Bob");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await server.stands(run, "completed");
  await page.waitForFunction(() => Object.keys(localStorage).join() === "fermata.name"); // the page learns of it after the server
});

test("a question answered by another person stays on the page of its run", { timeout: limit }, async () => {
  const run = await server.run("letter");
  const page = await person("Bob");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("radio", { name: "Send back" }).check();
  await page.getByLabel("Note").fill("shorter");
  const [{ requestId }] = (await server.stands(run, "paused")).interrupts;
  await server.post(`/api/interrupts/${requestId}/answer`, { value: { action: "approve" }, by: "Ada" });
  await page.locator(".closed", { hasText: "Answered by Ada" }).getByText("Approve").waitFor();
  assert.equal(await page.getByLabel("Note").inputValue(), "shorter");
  await page.getByRole("button", { name: "Copy what you wrote" }).waitFor();
  await page.locator(".timeline", { hasText: "answered by Ada" }).waitFor();
});

test("every kind of field becomes its part of the answer, and what is wrong stands at its field", { timeout: limit }, async () => {
  const run = await server.run("everything");
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  const group = (name) => page.getByRole("group", { name });
  await page.getByLabel("Name", { exact: true }).fill("A");
  await group("Agreed").getByLabel("yes").check();
  await group("Size").getByLabel("large").check();
  await page.getByLabel("Colour").selectOption("indigo");
  await group("Extras").getByLabel("bell").check();
  await group("Extras").getByLabel("lock").check();
  await page.getByLabel("Count").fill("3.5");
  await page.getByLabel("Price").fill("84.90");
  await page.getByLabel("Words").fill("one\n\n two ");
  await page.getByLabel("Remark").fill("well");
  await page.getByLabel("Mail").fill("a@example.com");
  await group(/Stops/).getByRole("button", { name: "Add" }).click();
  await page.getByLabel("Town").fill("Bern");
  await page.getByLabel("Hours").fill("2");
  await group(/Labels/).getByRole("button", { name: "Add" }).click();
  await group(/Labels/).getByLabel("Name").fill("team");
  await group(/Labels/).getByLabel("Value").fill("red");
  await group(/Pay/).getByLabel("Cash").check();
  await group(/Change/).getByLabel("yes").check();
  await group("Maybe").getByLabel("no").check();
  await page.getByRole("textbox", { name: /Raw/ }).fill('{"big": 9007199254740993}');
  const send = page.getByRole("button", { name: "Answer", exact: true });
  await send.click();
  await page.getByText("Expected a whole number, found “3.5”").waitFor();
  await page.getByText("Expected at least 2 characters").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.value), "3.5", "the first field with something wrong has the focus");
  await page.getByLabel("Name", { exact: true }).first().fill("Ada");
  await page.getByLabel("Count").fill("3");
  await page.reload();
  assert.equal(await page.getByLabel("Words").inputValue(), "one\n\n two ", "the draft is gone");
  await send.click();
  await status(page, "completed").waitFor();
  const text = await (await fetch(`${server.url}/api/interrupts?run=${run}&state=answered`)).text();
  const answer = /"answer":(.*?),"answeredBy"/.exec(text)?.[1];
  assert.equal(answer?.includes("9007199254740993") && answer.includes("84.90"), true, text);
  assert.deepEqual(JSON.parse(answer), {
    name: "Ada", agreed: true, size: "large", count: 3, contact: { mail: "a@example.com" }, stops: [{ town: "Bern", hours: 2 }], colour: "indigo",
    extras: ["bell", "lock"], price: 84.9, words: ["one", "two"], remark: "well", labels: { team: "red" }, pay: { change: true }, maybe: false,
    raw: { big: JSON.parse("9007199254740993") },
  });
});

test("the server is restarted under the page", { timeout: limit }, async () => {
  const run = await server.run("hostile");
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("radio", { name: "ok", exact: true }).check();
  await server.stop();
  await page.getByText("The server does not answer.").first().waitFor();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("Nothing is lost").waitFor();
  await server.start();
  await page.locator(".gone").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await status(page, "completed").waitFor();
});

test("by keyboard alone: find, start, answer", { timeout: limit }, async () => {
  const page = await person("Ada");
  await page.goto(server.url + "/");
  await page.locator("h1").waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the page");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Find/ }).waitFor();
  await page.keyboard.type("hostile");
  await page.getByRole("option", { name: /hostile/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "hostile", level: 1 }).waitFor();
  const tabTo = async (wanted) => {
    for (let i = 0; i < 60; i++) {
      if (await page.evaluate((text) => {
        const e = document.activeElement;
        return (e?.textContent?.trim() || e?.closest("label")?.textContent?.trim()) === text;
      }, wanted)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`no Tab leads to ${wanted}`);
  };
  await tabTo("Start");
  await page.keyboard.press("Enter");
  await status(page, "waiting").waitFor();
  await page.getByRole("radio").first().waitFor();
  await tabTo("<script>window.hacked=1</script>");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await tabTo("Answer");
  await page.keyboard.press("Enter");
  await status(page, "completed").waitFor();
});

test("where a token is wanted, people log in with theirs, and see what it is for", { timeout: 2 * limit }, async () => {
  const desk = new Server(new URL("recipes", import.meta.url).pathname, "--auth", "tokens");
  await desk.start();
  try {
    const token = desk.command("tokens", "create", "laptop", "--person", "ada@example.com", "--person-name", "Ada", "--role", "operator");
    const page = await person("");
    await page.goto(desk.url + "/definitions/hostile");
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    for (const colorScheme of ["light", "dark"]) {
      const small = await person("", { colorScheme, viewport: { width: 320, height: 640 }, bypassCSP: true });
      await small.goto(desk.url + "/");
      await small.getByRole("button", { name: "Log in" }).click();
      await small.getByRole("alert").getByText("Paste a token").waitFor();
      await small.evaluate(axe);
      const found = await small.evaluate(async () => (await window.axe.run(document)).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target)}`));
      assert.deepEqual(found, [], `the login in ${colorScheme}`);
      assert.ok((await small.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "the login is wider than 320 px");
    }
    // By keyboard alone: the field has the focus.
    await page.keyboard.type(token.slice(0, -1) + (token.endsWith("A") ? "B" : "A"));
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("does not take this token").waitFor();
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "hostile", level: 1 }).waitFor();
    // The login is in this tab's storage, under no name of a cookie, and outlives a reload.
    assert.deepEqual(await page.context().cookies(), []);
    assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes("ft_"), "the token is in localStorage");
    await page.reload();
    await page.getByRole("button", { name: "Start" }).click();
    await status(page, "waiting").waitFor();
    const run = page.url().split("/").pop();
    await page.getByRole("radio", { name: "ok", exact: true }).check();
    await page.getByRole("button", { name: "Answer" }).click();
    await status(page, "completed").waitFor();
    assert.match(desk.command("events", run), /ada@example\.com/);
    // Another tab of the browser has the same login.
    const tab = await page.context().newPage();
    await tab.goto(desk.url + "/runs");
    await tab.getByRole("link", { name: "hostile" }).waitFor();
    await tab.locator("details.settings summary").click();
    await tab.getByText("Role: operator").waitFor();
    await tab.getByRole("button", { name: "Log out" }).click();
    await tab.getByText("You have logged out").waitFor();
    await page.getByText("You have logged out").waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    // A token that is revoked ends what is open.
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    desk.command("tokens", "revoke", "laptop");
    await page.getByText("Your login has ended").waitFor();
    // Those who may only look are not asked to do more.
    await page.getByLabel("Token").fill(desk.command("tokens", "create", "eye", "--role", "viewer"));
    await page.keyboard.press("Enter");
    await status(page, "completed").waitFor();
    assert.equal(await page.getByRole("link", { name: /Inbox/ }).count(), 0);
    await page.goto(desk.url + "/definitions/hostile");
    await page.getByText("You may look at this definition").waitFor();
    assert.equal(await page.getByRole("button", { name: "Start" }).count(), 0);
    // And those who answer see their questions, and no runs.
    const other = await person("");
    await other.goto(desk.url + "/");
    await other.getByLabel("Token").fill(desk.command("tokens", "create", "desk", "--role", "clerk"));
    await other.keyboard.press("Enter");
    await other.getByText("Nothing waits for you").waitFor();
    assert.equal(await other.getByRole("link", { name: "Runs", exact: true }).count(), 0);
  } finally {
    await desk.end();
  }
});

test("a run is held with a reason, answered meanwhile, and released", { timeout: limit }, async () => {
  const run = await server.run("letter");
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("button", { name: "Hold" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 open question can still be answered").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Hold the run" }).isDisabled(), true, "a hold without a reason");
  await page.keyboard.type("the print shop is closed"); // the field has the focus
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("heading", { name: "Ada holds the run" }).waitFor();
  await page.locator(".reason", { hasText: "the print shop is closed" }).waitFor();
  await status(page, "held").waitFor();
  const { hold } = await server.stands(run, "paused");
  assert.deepEqual([hold.by, hold.note], ["Ada", "the print shop is closed"]);
  const list = await person("Bob");
  await list.goto(server.url + "/runs?status=paused");
  await list.locator("tr", { hasText: run.slice(-6) }).getByText("held by Ada: the print shop is closed").waitFor();
  await page.getByRole("radio", { name: "Approve" }).check();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.locator(".timeline, .asks", { hasText: "Ada" }).first().waitFor();
  assert.equal((await server.stands(run, "paused")).status, "paused", "it went on while it was held");
  await page.getByRole("button", { name: "Release" }).click();
  await dialog.getByRole("button", { name: "Release the run" }).click();
  await status(page, "completed").waitFor();
});

test("a run stops at a breakpoint, and goes on from there", { timeout: limit }, async () => {
  const page = await person("Ada");
  await page.goto(server.url + "/definitions/report");
  await page.getByText("Breakpoints").click();
  await page.getByLabel("Node").selectOption("write");
  await page.getByRole("button", { name: "Before it" }).click();
  await page.getByRole("button", { name: "After it" }).click();
  await page.getByRole("button", { name: /after write/ }).click(); // which removes it
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("heading", { name: "Held before write#1" }).waitFor();
  await page.locator(".members", { hasText: "sold" }).waitFor();
  await page.getByRole("button", { name: "Release" }).click();
  await page.getByRole("dialog").getByText("up to the next one").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Release the run" }).click();
  await status(page, "completed").waitFor();
});

test("F10: a run that undoes what it has done says so, while it does and afterwards", { timeout: limit }, async () => {
  const { run } = await server.post("/api/runs", { definition: "trip", input: {}, by: "Ada" });
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("heading", { name: "What the run has done is being undone" }).waitFor();
  await page.locator(".reason", { hasText: "there is no car" }).waitFor();
  await page.locator(".timeline li", { hasText: "cancel_hotel#1" }).getByText("undoes hotel#1").waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel run" }).count(), 0);
  if (process.env.SHOTS) await page.screenshot({ path: process.env.SHOTS + "/undoing.png" });
  await page.getByRole("tab", { name: "Events" }).click();
  await page.locator(".events summary", { hasText: "run undoes what it did" }).waitFor();
  await page.getByRole("tab", { name: "Timeline" }).click();
  writeFileSync(join(server.dir, "desk"), "");
  await status(page, "failed").waitFor();
  await page.getByText("1 effect was undone").waitFor();
  await page.locator(".timeline li", { hasText: "undone by cancel_hotel#1" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Retry" }).count(), 0);
  if (process.env.SHOTS) await page.screenshot({ path: process.env.SHOTS + "/undone.png" });
  rmSync(join(server.dir, "desk"));
});

test("a run is forked with another value, and compared with its fork and with a run that was marked", { timeout: limit }, async () => {
  const run = await server.run("report", "completed");
  const page = await person("Ada");
  await page.goto(`${server.url}/runs/${run}`);
  await page.getByRole("slider").fill("2");
  await page.getByRole("button", { name: "Fork from here" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: /Name/ }).fill("shop");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.activeElement?.value === "Bern"); // what it is now
  await page.keyboard.press("Control+a");
  await page.keyboard.type("7");
  await dialog.getByRole("button", { name: "What would differ?" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox", { name: "Value", exact: true }).fill("Basel");
  await dialog.getByRole("button", { name: "What would differ?" }).click();
  await dialog.locator("tr", { hasText: "shop" }).filter({ hasText: "Bern" }).filter({ hasText: "Basel" }).first().waitFor();
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await page.locator(".facts", { hasText: "Fork of" }).waitFor();
  await status(page, "completed").waitFor();
  const fork = page.url().split("/").pop();
  assert.notEqual(fork, run);
  await page.getByRole("link", { name: "Compare with it" }).click();
  await page.getByRole("heading", { name: "Both are the same up to entry 2" }).waitFor();
  await page.getByText("a fork of the other one, from entry 2 on").waitFor();
  const values = page.getByRole("region", { name: "Values", exact: true });
  assert.match(await values.getByRole("row", { name: /shop/ }).innerText(), /Bern\s+Basel/);
  await page.getByRole("button", { name: "Swap" }).click();
  await page.waitForFunction(() => /Basel\s+Bern/.test(document.querySelector(".sides tbody tr")?.innerText ?? ""));
  await page.getByLabel(/A: Up to entry/).fill("1");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => new URL(location.href).searchParams.get("at") === "1");
  // By keyboard, from the list.
  const same = await server.run("report", "completed");
  await page.goto(server.url + "/runs?plan=report");
  for (const [id, n] of [[same, 1], [run, 2]]) {
    await page.getByRole("checkbox", { name: new RegExp(id.slice(-6)) }).focus();
    await page.keyboard.press("Space");
    await page.locator(".marked", { hasText: `${n} run` }).waitFor();
  }
  await page.getByRole("button", { name: "Compare" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Nothing differs but times and ids.").waitFor();
  assert.deepEqual([...new URL(page.url()).searchParams.values()], [same, run]);
  await page.goto(server.url + "/compare");
  await page.getByRole("heading", { name: "Choose two runs" }).waitFor();
  await page.goto(`${server.url}/compare?a=run_nothing&b=${run}`);
  await page.getByRole("alert").getByText("Not found").waitFor();
});

test("however often a page is told of changes, it asks a few times a second", { timeout: limit }, async () => {
  const page = await person("Ada");
  await page.goto(server.url + "/runs");
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await page.waitForFunction(() => !document.querySelector(".loading"));
  let asked = 0;
  page.on("request", (r) => (asked += new URL(r.url()).pathname === "/api/runs" ? 1 : 0));
  const took = await page.evaluate(async () => {
    const began = performance.now();
    for (let i = 0; i < 200; i++) {
      dispatchEvent(new Event("online")); // as a feed would tell
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return performance.now() - began;
  });
  assert.ok(asked >= 1 && asked <= took / 300 + 2, `${asked} questions in ${took} ms`);
});

test("keys walk through a list while it has the focus", { timeout: limit }, async () => {
  for (const _ of [1, 2, 3]) await server.run("report", "completed");
  const page = await person("Ada");
  await page.goto(server.url + "/runs?plan=report");
  const links = page.locator(".runs .name a");
  await links.first().focus();
  const at = () => page.evaluate(() => [...document.querySelectorAll(".runs tbody tr")].indexOf(document.activeElement?.closest("tr")));
  for (const [key, row] of [["j", 1], ["ArrowDown", 2], ["k", 1], ["ArrowUp", 0], ["ArrowUp", 0]]) {
    await page.keyboard.press(key);
    assert.equal(await at(), row, key);
  }
  await page.keyboard.press("Shift+Tab"); // to the mark of the row
  await page.keyboard.press("Space");
  await page.keyboard.press("j");
  await page.keyboard.press("Space");
  await page.locator(".marked", { hasText: "2 runs" }).waitFor();
  await page.getByRole("searchbox", { name: "Id" }).focus();
  await page.keyboard.type("j");
  assert.equal(await page.getByRole("searchbox", { name: "Id" }).inputValue(), "j", "a key was taken from a field");
});

test("a schedule is run by hand, paused with a reason, and resumed", { timeout: limit }, async () => {
  const page = await person("Ada");
  await page.goto(server.url + "/schedules");
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "report/nightly" }) });
  await card.getByText("on 1 January each year at 02:30").waitFor();
  await card.getByText("none yet").waitFor();
  await card.getByRole("button", { name: "Run now" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("with the inputs of this schedule").waitFor();
  await dialog.getByRole("button", { name: "Run now" }).click();
  await card.locator(".last", { hasText: "completed" }).waitFor();
  await card.getByRole("button", { name: "Pause" }).click();
  await dialog.getByLabel(/Reason/).fill("stocktaking");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await card.getByText("paused by Ada").waitFor();
  await card.getByText("stocktaking").waitFor();
  await card.getByText("none while it is paused").waitFor();
  const { schedules } = await (await fetch(server.url + "/api/schedules")).json();
  assert.deepEqual(schedules.filter((s) => s.paused).map((s) => [s.schedule, s.pausedBy?.by]), [["report/nightly", "Ada"], ["report/old", undefined]]);
  await card.getByRole("button", { name: "Resume" }).click();
  await dialog.getByRole("button", { name: "Resume" }).click();
  await card.getByRole("button", { name: "Pause" }).waitFor();
  const old = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "report/old" }) });
  assert.equal(await old.getByRole("button", { name: "Resume" }).isDisabled(), true, "what its recipe has paused");
  await card.locator(".last").click();
  await page.locator(".facts", { hasText: "report/nightly" }).waitFor();
  await page.goto(server.url + "/definitions/report");
  await page.getByRole("region", { name: "Schedules" }).getByText("on 1 January each year at 02:30").waitFor();
});

test("the page of health tells what stopped, and leads there", { timeout: limit }, async () => {
  const run = await server.run("delivery", "failed");
  const page = await person("Ada");
  await page.goto(server.url + "/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Find/ }).fill("health");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Health", level: 1 }).waitFor();
  await page.getByText("Something needs you.").waitFor();
  await page.getByText("ready", { exact: true }).waitFor();
  await page.locator("tr", { hasText: run.slice(-6) }).getByText("the truck is not there").waitFor();
  await page.locator(".tally-one", { hasText: "failed" }).click();
  await page.waitForURL(/status=failed/);
});

test("on a narrow screen the menu of the person leads to the pages that are looked at less often", { timeout: limit }, async () => {
  const page = await person("Ada", { viewport: { width: 320, height: 640 } });
  await page.goto(server.url + "/runs");
  await page.locator("details.settings summary").click();
  await page.locator(".menu").getByRole("link", { name: "Schedules" }).click();
  await page.getByRole("heading", { name: "report/nightly" }).waitFor();
  await page.locator(".menu").waitFor({ state: "hidden" });
  await page.locator("details.settings summary").click();
  assert.equal(await page.locator(".menu").getByRole("link", { name: "Schedules" }).getAttribute("aria-current"), "page");
});

test("a page comes when somebody looks at it, and a newer console is told of", { timeout: limit }, async () => {
  const page = await person("Ada");
  const asked = [];
  page.on("request", (r) => asked.push(new URL(r.url()).pathname));
  let gone = true;
  await page.route(/\/console\/health-/, (route) => (gone ? route.fulfill({ status: 404, body: "" }) : route.continue()));
  await page.goto(server.url + "/runs");
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  for (const name of ["inbox", "run", "schedules", "health", "compare", "talks", "german"]) assert.ok(!asked.some((path) => path.startsWith(`/console/${name}-`)), `${name} was loaded, and nobody looks at it`);
  await page.getByRole("link", { name: "Schedules" }).click();
  await page.getByRole("heading", { name: "report/nightly" }).waitFor();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("heading", { name: "The console has been updated" }).waitFor();
  gone = false;
  await page.getByRole("button", { name: "Load it" }).click();
  await page.getByRole("heading", { name: "Health", level: 1 }).waitFor();
});

test("in German", { timeout: limit }, async () => {
  const page = await person("Ada", { locale: "de-DE" });
  await page.goto(server.url + "/definitions");
  await page.getByRole("heading", { name: "Definitionen", level: 1 }).waitFor();
  for (const [path, name, text] of [["/schedules", "Zeitpläne", "Jetzt ausführen"], ["/health", "Zustand", "Server und Speicher"], ["/compare", "Läufe vergleichen", "Wählen Sie zwei Läufe"]]) {
    await page.goto(server.url + path);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByText(text).first().waitFor();
  }
  await page.goto(server.url + "/definitions");
  assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
  await page.locator("details.settings summary").click();
  await page.getByLabel("Sprache").selectOption("en");
  await page.getByRole("heading", { name: "Definitions", level: 1 }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Definitions", level: 1 }).waitFor();
});

const looks = [["light", "no-preference", [1280, 320]], ["dark", "no-preference", [1280, 320]], ["light", "more", [1280]], ["dark", "more", [1280]]];
for (const [colorScheme, contrast, widths] of looks) test(`no page has a violation that axe finds, and none is wider than its screen: ${colorScheme}${contrast === "more" ? ", more contrast" : ""}`, { timeout: 3 * limit }, async (t) => {
  const failed = await server.run("delivery", "failed");
  const waiting = await server.run("everything");
  await server.run("hostile");
  const held = await server.run("letter");
  await server.post(`/api/runs/${held}/hold`, { note: "the print shop is closed", by: "Bob" });
  const report = await server.run("report", "completed");
  const { run: fork } = await server.post(`/api/runs/${report}/fork`, { at: 2, set: { shop: "Basel" }, by: "Ada" });
  await server.stands(fork, "completed");
  const pages = [
    "/", "/runs", "/runs?status=expired", `/runs/${failed}`, `/runs/${waiting}`, "/definitions", "/definitions/everything", "/definitions/hostile", "/runs/run_nothing",
    `/runs/${held}`, "/schedules", "/health", "/compare", `/compare?a=${report}&b=${fork}`, `/runs/${fork}`,
  ];
  for (const width of widths) {
    const page = await person("Ada", { colorScheme, contrast, viewport: { width, height: 800 }, bypassCSP: true });
    for (const path of pages) {
      await page.goto(server.url + path);
      await page.locator("h1").waitFor();
      await page.waitForFunction(() => !document.querySelector(".loading"));
      const acts = { [`/runs/${failed}`]: ["", "Events", "Retry", "Control+k"], [`/runs/${held}`]: ["", "Release"], [`/runs/${waiting}`]: ["", "Hold"], [`/runs/${fork}`]: ["", "Fork from here"] };
      for (const act of acts[path] ?? [""]) {
        if (act === "Events") await page.getByRole("tab", { name: act }).click();
        if (["Retry", "Hold", "Release", "Fork from here"].includes(act)) {
          await page.getByRole("button", { name: act }).click();
          await page.getByRole("dialog").getByRole("button").first().waitFor();
        }
        if (act === "Control+k") {
          await page.keyboard.press("Escape");
          await page.keyboard.press(act);
          await page.locator(".palette [role=option]").first().waitFor();
        }
        await page.evaluate(axe);
        const found = await page.evaluate(async () => (await window.axe.run(document)).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target + " " + (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? "")).join("; ")}`));
        assert.deepEqual(found, [], `${path} ${act} (${colorScheme}, ${contrast}, ${width})`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${path} ${act} is ${wide} px wider than ${width}`);
      }
    }
    await page.context().close();
    contexts = contexts.filter((c) => c !== page.context());
  }
  t.diagnostic(`${pages.length} pages`);
});
