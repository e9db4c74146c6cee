'use strict';
// Rules of access that a page may break: each function returns what breaks it, in a few words.

const focusable = 'a[href], button, select, input, textarea, summary, [tabindex]:not([tabindex="-1"])';

function isShown(element)
{
    const style = getComputedStyle(element);
    return element.getClientRects().length > 0 && style.visibility !== 'hidden' &&
        !element.closest('[hidden], [aria-hidden="true"], .quiet');
}

const shownOf = selector => [...document.querySelectorAll(selector)].filter(isShown);

function wordsOf(element)
{
    const words = element.textContent.trim().slice(0, 30) || element.getAttribute('aria-label') || '';
    return `<${element.localName}${element.id ? `#${element.id}` : ''}${
        element.className && typeof element.className === 'string' ? `.${element.className}` : ''
    }> ${words}`.slice(0, 80);
}

// Whether a box that scrolls hides the middle of the element.
function isClipped(element)
{
    const {left, top, width, height} = element.getBoundingClientRect();
    for (let e = element.parentElement; e && e !== document.body; e = e.parentElement) {
        const box = e.getBoundingClientRect(), x = left + width / 2, y = top + height / 2;
        if (getComputedStyle(e).overflow !== 'visible' &&
            (x < box.left || x > box.right || y < box.top || y > box.bottom))
            return true;
    }
    return false;
}

// WCAG 2.2, 2.5.8: 24 by 24 pixels, or room for a circle of that size; words in a text are free.
function smallTargets()
{
    const targets = shownOf(focusable).filter(e => !e.classList.contains('skip') && !isClipped(e));
    const boxes = targets.map(e => e.getBoundingClientRect());
    const isText = e => getComputedStyle(e).display === 'inline' &&
        e.parentElement.textContent.trim().length > e.textContent.trim().length;
    const small = boxes.map(b => b.width < 23.5 || b.height < 23.5);
    const meets = (b, c, isSmall) => {
        const x = b.left + b.width / 2, y = b.top + b.height / 2;
        if (isSmall)
            return Math.hypot(x - c.left - c.width / 2, y - c.top - c.height / 2) < 23.5;
        return Math.hypot(x - Math.max(c.left, Math.min(x, c.right)),
                          y - Math.max(c.top, Math.min(y, c.bottom))) < 11.75;
    };
    return targets.filter((e, k) => small[k] && !isText(e) && targets.some((other, j) => j !== k &&
        !e.contains(other) && !other.contains(e) && !isText(other) &&
        meets(boxes[k], boxes[j], small[j]))).map(wordsOf);
}

function unreachableScrolling()
{
    return shownOf('body *').filter(e => {
        const {overflowX, overflowY} = getComputedStyle(e), scrolls = o => o === 'auto' || o === 'scroll';
        const over = scrolls(overflowY) && e.scrollHeight > e.clientHeight + 1 ||
            scrolls(overflowX) && e.scrollWidth > e.clientWidth + 1;
        return over && e.tabIndex < 0 && !e.querySelector(focusable);
    }).map(wordsOf);
}

// Roles only where the element has none that matters, and known ones.
function wrongRoles()
{
    const known = ['status', 'group', 'region', 'img', 'application', 'search', 'tooltip'];
    const plain = ['div', 'span', 'p', 'svg', 'canvas', 'ul'];
    return [...document.querySelectorAll('[role]')].filter(e => !known.includes(e.getAttribute('role')) ||
        !plain.includes(e.localName)).map(e => `${wordsOf(e)} is a ${e.getAttribute('role')}`);
}

function nameOf(element)
{
    const label = element.closest('label') || element.id &&
        document.querySelector(`label[for="${CSS.escape(element.id)}"]`);
    const isField = ['select', 'input', 'textarea'].includes(element.localName);
    return element.getAttribute('aria-label') || (isField ? label && label.textContent
                                                          : element.textContent);
}

function nameless()
{
    const named = `${focusable}, [role="img"], [role="group"], [role="region"], [role="application"]`;
    return shownOf(named).filter(e => !(nameOf(e) || '').trim()).map(wordsOf);
}

function partsOf(colour)
{
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return {rgb: [r, g, b], a};
}

function luminanceOf(rgb)
{
    const [r, g, b] = rgb.map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function groundOf(element)
{
    for (let e = element; e; e = e.parentElement) {
        const {rgb, a} = partsOf(getComputedStyle(e).backgroundColor);
        if (a > 0.99)
            return rgb;
    }
    return [255, 255, 255];
}

// WCAG 2.2, 1.4.3: 4.5 to 1, and 3 to 1 for large letters.
function faintText()
{
    const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !isShown(element) || element.closest('script, style, '
            + 'noscript, option, svg, .skip, :disabled'))
            continue;
        const style = getComputedStyle(element), size = parseFloat(style.fontSize);
        const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
        const lights = [partsOf(style.color).rgb, groundOf(element)].map(luminanceOf);
        const ratio = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
        if (ratio < (large ? 3 : 4.5))
            found.add(`${wordsOf(element)}: ${ratio.toFixed(2)}`);
    }
    return [...found];
}

function repeatedIds()
{
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    return [...new Set(ids.filter((id, k) => ids.indexOf(id) !== k))];
}

function skippedHeadings()
{
    const levels = shownOf('h1, h2, h3, h4, h5, h6');
    return levels.filter((h, k) => Number(h.localName[1]) - (k ? Number(levels[k - 1].localName[1]) : 0) > 1)
        .map(wordsOf);
}

// Text that those who go from landmark to landmark would never come by.
function outsideLandmarks()
{
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (walker.currentNode.data.trim() && isShown(element) &&
            !element.closest('header, nav, main, footer, script, style, noscript, .skip'))
            found.add(wordsOf(element));
    }
    return [...found];
}
