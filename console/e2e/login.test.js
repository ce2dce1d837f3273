// Logging in at an issuer, as people do it, against the real binary.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { launch } from "./browser.js";
import { Issuer } from "./issuer.js";
import { Server } from "./server.js";

const limit = Number(process.env.LIMIT ?? 120_000);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const issuer = new Issuer();
let server;
let browser;

before(async () => {
  await issuer.start();
  server = new Server(new URL("recipes", import.meta.url).pathname, "--auth", "oidc", "--oidc-issuer", issuer.url, "--oidc-client", "fermata",
    "--grant", "finance=operator", "--grant", "guests=viewer");
  await server.start();
  browser = await launch();
}, { timeout: limit });

after(async () => {
  await browser?.close();
  await server?.end();
  await issuer.end();
});

async function person(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(limit / 2);
  return context.newPage();
}

const status = (page, text) => page.locator("main .facts .status", { hasText: text });

test("people sign in at the issuer, come back to their page, and sign out everywhere", { timeout: 2 * limit }, async () => {
  for (const colorScheme of ["light", "dark"]) {
    const small = await person({ colorScheme, viewport: { width: 320, height: 640 }, bypassCSP: true });
    await small.goto(server.url + "/");
    await small.getByRole("link", { name: "Sign in" }).waitFor();
    await small.evaluate(axe);
    const found = await small.evaluate(async () => (await window.axe.run(document)).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target)}`));
    assert.deepEqual(found, [], `the login in ${colorScheme}`);
    assert.ok((await small.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "the login is wider than 320 px");
    await small.context().close();
  }
  const page = await person();
  await page.goto(server.url + "/definitions/hostile?x=1");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "hostile", level: 1 }).waitFor();
  assert.equal(page.url(), server.url + "/definitions/hostile?x=1");
  // No script of the page sees the session.
  const cookies = await page.context().cookies();
  assert.deepEqual(cookies.map((c) => [c.httpOnly, c.sameSite, c.value.slice(0, 3)]), [[true, "Lax", "fs_"]]);
  assert.equal(await page.evaluate(() => document.cookie + JSON.stringify([sessionStorage, localStorage])).then((text) => text.includes("fs_")), false);
  // What is done has the person's id, and the page follows the run.
  await page.getByRole("button", { name: "Start" }).click();
  await status(page, "waiting").waitFor();
  const run = page.url().split("/").pop();
  await page.getByRole("radio", { name: "ok", exact: true }).check();
  await page.getByRole("button", { name: "Answer" }).click();
  await status(page, "completed").waitFor();
  assert.match(server.command("events", run), /ada@example\.com/);
  // A session that is over is asked for again, on the same page.
  await page.context().clearCookies();
  await page.goto(server.url + "/runs/" + run);
  await page.getByRole("link", { name: "Sign in" }).click();
  await status(page, "completed").waitFor();
  await page.context().clearCookies();
  await page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
  await page.getByText("Your login has ended").waitFor();
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "hostile" }).waitFor();
  // Another tab signs out: this one, too, and the issuer.
  const tab = await page.context().newPage();
  await tab.goto(server.url + "/runs");
  await tab.locator("details.settings summary").click();
  await tab.getByText("Role: operator").waitFor();
  await tab.getByRole("button", { name: "Log out" }).click();
  await page.getByText("You have logged out").waitFor();
  await tab.getByRole("link", { name: "Sign in" }).waitFor();
  assert.equal(issuer.ended, 1);
  assert.deepEqual(await page.context().cookies(), []);
});

test("those without a group are told why", { timeout: limit }, async () => {
  issuer.claims = { ...issuer.claims, email: "eve@example.com", groups: ["others"] };
  const page = await person();
  await page.goto(server.url + "/");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByText("You are logged in as eve@example.com, and may do nothing here").waitFor();
  issuer.claims = { ...issuer.claims, groups: ["guests"] };
  await page.getByRole("link", { name: "Log in again" }).click();
  await page.locator("details.settings summary").click();
  await page.getByText("Role: viewer").waitFor();
});
