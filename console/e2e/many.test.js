// Many runs are changed from their list: those that were marked, or all that it selects.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { launch } from "./browser.js";
import { Server } from "./server.js";

const limit = Number(process.env.LIMIT ?? 120_000);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const server = new Server(new URL("recipes", import.meta.url).pathname);
let browser;
let contexts = [];
const errors = [];

before(async () => {
  await server.start();
  browser = await launch();
}, { timeout: limit });

after(async () => {
  await browser?.close();
  await server.end();
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  assert.deepEqual(errors.splice(0), [], "the page reports errors");
});

async function person(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", reducedMotion: "reduce", ...options });
  contexts.push(context);
  context.setDefaultTimeout(limit / 2);
  await context.addInitScript(() => localStorage.setItem("fermata.name", "Ada"));
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  return page;
}

const statusOf = async (run) => (await (await fetch(`${server.url}/api/runs/${run}`)).json()).status;
const picture = (page, name) => (process.env.SHOTS ? page.screenshot({ path: `${process.env.SHOTS}/${name}.png` }) : undefined);

async function clean(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await window.axe.run(document)).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target)}`));
  assert.deepEqual(found, [], what);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${what} is wider than its screen`);
}

test("J18, F4: marked runs are held, released and cancelled by keyboard, and no others", { timeout: limit }, async () => {
  const runs = [];
  for (let i = 0; i < 4; i++) runs.push(await server.run("letter"));
  const ended = await server.run("report", "completed");
  const page = await person();
  await page.goto(server.url + "/runs");
  for (const run of [...runs.slice(0, 3), ended]) {
    await page.getByRole("checkbox", { name: new RegExp(run.slice(-6)) }).focus();
    await page.keyboard.press("Space");
  }
  await page.locator(".marked", { hasText: "4 runs are marked" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Compare" }).isDisabled(), true, "four runs cannot be compared");
  const dialog = page.getByRole("dialog");
  const begin = async (verb) => {
    await page.getByRole("button", { name: "Change …", exact: true }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("The 4 runs that you have marked").waitFor();
    await dialog.getByRole("radio", { name: verb }).focus();
    await page.keyboard.press("Space");
  };
  const entries = () => Promise.all(runs.map(async (run) => (await (await fetch(`${server.url}/api/runs/${run}`)).json()).seq));
  const before = await entries();
  await begin("Hold");
  await dialog.getByText("3 runs would be held").waitFor();
  assert.equal(await dialog.locator(".rows li").count(), 3);
  assert.equal(await dialog.getByRole("button", { name: "Hold 3 runs" }).isDisabled(), true, "a hold has a reason");
  assert.deepEqual(await entries(), before, "the dry run stored something");
  await dialog.getByLabel(/Reason/).focus();
  await page.keyboard.type("the printer is broken");
  await picture(page, "many");
  await page.keyboard.press("Enter");
  await dialog.getByText("3 runs are held.").waitFor();
  await page.keyboard.press("Enter"); // Close has the focus
  await dialog.waitFor({ state: "detached" });
  await page.locator(".why.held", { hasText: "the printer is broken" }).nth(2).waitFor();
  await begin("Release");
  await dialog.getByRole("button", { name: "Release 3 runs" }).click();
  await dialog.getByText("3 runs go on.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await begin("Retry");
  await dialog.getByText("It can be done to none of these runs").waitFor();
  await page.keyboard.press("Escape");
  await begin("Cancel");
  await dialog.getByText("3 runs would be cancelled").waitFor();
  // One that ends meanwhile is left alone; what is done is what was shown.
  const [{ requestId }] = (await server.stands(runs[0], "paused")).interrupts;
  await server.post(`/api/interrupts/${requestId}/answer`, { value: { action: "approve" }, by: "Bob" });
  await server.stands(runs[0], "completed");
  await dialog.getByRole("button", { name: "Cancel 3 runs" }).click();
  await dialog.getByText("2 runs are cancelled.").waitFor();
  await dialog.getByText("1 run has changed meanwhile").waitFor();
  assert.deepEqual(await Promise.all(runs.map(statusOf)), ["completed", "cancelled", "cancelled", "paused"]);
});

test("F3: all runs of a list are changed, none beside it, and none that began after they were shown", { timeout: limit }, async () => {
  const letters = [await server.run("letter"), await server.run("letter")];
  const other = await server.run("hostile");
  const page = await person();
  await page.goto(server.url + "/runs?plan=letter&status=paused");
  await page.getByRole("button", { name: "Change all …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Cancel" }).check();
  const act = dialog.getByRole("button", { name: /^Cancel \d+ runs$/ });
  await act.waitFor();
  const late = await server.run("letter");
  await act.click();
  await dialog.getByText(/\d+ runs are cancelled/).waitFor();
  assert.deepEqual(await Promise.all([...letters, other, late].map(statusOf)), ["cancelled", "cancelled", "paused", "paused"]);
});

test("an answer that breaks off is told, and so is a refusal", { timeout: limit }, async () => {
  await server.run("letter");
  const page = await person();
  await page.goto(server.url + "/runs");
  let answer = { status: 200, contentType: "application/x-ndjson", body: '{"run":"run_x","plan":"letter","status":"paused"}\n' };
  await page.route("**/api/runs/bulk", (route) => route.fulfill(answer));
  await page.getByRole("button", { name: "Change all …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Cancel" }).check();
  await dialog.getByRole("alert").getByText("the answer broke off").waitFor();
  answer = { status: 403, contentType: "application/problem+json", body: '{"status":403,"code":"forbidden","detail":"you may not"}' };
  await dialog.getByRole("radio", { name: "Release" }).check();
  await dialog.getByRole("alert").getByText("you may not").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Do it" }).isDisabled(), true);
});

for (const [locale, open, verb, act] of [["en-GB", "Change all …", "Hold", /Hold \d+ run/], ["de-DE", "Alle ändern …", "Anhalten", /Lauf anhalten|Läufe anhalten/]]) {
  test(`the dialog has no violation that axe finds: ${locale}`, { timeout: limit }, async () => {
    await server.run("letter");
    for (const [colorScheme, width] of [["light", 1280], ["dark", 320]]) {
      const page = await person({ locale, colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      await page.goto(server.url + "/runs");
      await page.getByRole("button", { name: open }).click();
      await page.getByRole("dialog").getByRole("radio").first().waitFor();
      await clean(page, `${locale} ${width}, before a choice`);
      await page.getByRole("radio", { name: verb }).check();
      await page.getByRole("button", { name: act }).waitFor();
      await clean(page, `${locale} ${width}, with runs`);
      await picture(page, `many-${locale}-${width}`);
    }
  });
}
