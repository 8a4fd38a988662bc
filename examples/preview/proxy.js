/* proxy.js - stands between the host and a page (MCP Apps 2026-01-26): at an origin that is neither's,
   it shows the page that the host hands over and passes on what they say to each other, except what is
   between the host and us. The page inherits the policy that we came under. */
(() => {
'use strict';
const HOST = '@HOST@', OURS = 'ui/notifications/sandbox-';
const FEATURES = { camera: 'camera', microphone: 'microphone', geolocation: 'geolocation', clipboardWrite: 'clipboard-write' };
let frame = null;

const show = ({ html, sandbox = 'allow-scripts', permissions = {} }) => {
  const allow = Object.keys(FEATURES).filter((p) => permissions[p]).map((p) => FEATURES[p]);
  frame = document.createElement('iframe');
  /* never our origin: with it, the page would be us */
  frame.setAttribute('sandbox', sandbox.split(/\s+/).filter((s) => s.toLowerCase() !== 'allow-same-origin').join(' '));
  if (allow.length) frame.setAttribute('allow', allow.join('; '));
  frame.srcdoc = html;
  document.body.replaceChildren(frame);
};
const between = (m) => m && typeof m.method === 'string' && m.method.startsWith(OURS);

window.addEventListener('message', ({ source, origin, data }) => {
  if (source === window.parent && origin === HOST) {
    if (between(data)) { if (data.method === OURS + 'resource-ready') show(data.params); }
    else if (frame) frame.contentWindow.postMessage(data, '*'); /* its origin is opaque */
  } else if (frame && source === frame.contentWindow && !between(data)) window.parent.postMessage(data, HOST);
});
if (window.parent !== window)
  window.parent.postMessage({ jsonrpc: '2.0', method: OURS + 'proxy-ready', params: {} }, HOST);
})();
