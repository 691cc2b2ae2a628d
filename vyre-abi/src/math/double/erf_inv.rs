//! The inverse of the error function.
//!
//! erf_inv(x) / x as a polynomial in w = -ln(1 - x^2), for large w in its root (M. Giles, Approximating the erfinv function,
//! 2011).

use super::log::ln;

/// The inverse of the error function; infinite at -1 and 1, NaN outside.
#[inline(always)]
pub fn erf_inv(x: f64) -> f64 {
    let w = -ln((-x).mul_add(x, 1.0));
    if w == f64::INFINITY {
        return w.copysign(x);
    }
    // The first coefficient in two parts.
    if w < 5.0 {
        let p = 2.6592684567991795e-21f64;
        let p = p.mul_add(w, -2.2024239631122176e-19);
        let p = p.mul_add(w, 7.98243436764604e-18);
        let p = p.mul_add(w, -1.698343880697159e-16);
        let p = p.mul_add(w, 2.369199534384374e-15);
        let p = p.mul_add(w, -2.26853306612766e-14);
        let p = p.mul_add(w, 1.504648153168892e-13);
        let p = p.mul_add(w, -6.821835091736198e-13);
        let p = p.mul_add(w, 2.16662813587169e-12);
        let p = p.mul_add(w, -6.7245359331134455e-12);
        let p = p.mul_add(w, 2.8572101757459606e-11);
        let p = p.mul_add(w, -4.6298428564333887e-11);
        let p = p.mul_add(w, -4.798172007129189e-10);
        let p = p.mul_add(w, 7.01953445427059e-10);
        let p = p.mul_add(w, 2.284245616622866e-8);
        let p = p.mul_add(w, -3.7330729078303585e-8);
        let p = p.mul_add(w, -1.0125347956039158e-6);
        let p = p.mul_add(w, 2.019980889873623e-6);
        let p = p.mul_add(w, 4.661144267853413e-5);
        let p = p.mul_add(w, -1.2804329469129707e-4);
        let p = p.mul_add(w, -2.3351016415612356e-3);
        let p = p.mul_add(w, 1.1549342038267978e-2);
        let p = p.mul_add(w, 2.3201366653465455e-1);
        (p.mul_add(w, -3.8332932499128993e-17) + 8.86226925452758e-1) * x
    } else if w < 16.0 {
        let u = w.sqrt() - 3.0;
        let p = 5.360831384588383e-9f64;
        let p = p.mul_add(u, -9.935011797110464e-9);
        let p = p.mul_add(u, -4.496210525019524e-8);
        let p = p.mul_add(u, 1.7121660108022985e-7);
        let p = p.mul_add(u, -1.0528624384317993e-7);
        let p = p.mul_add(u, -6.418674350631865e-7);
        let p = p.mul_add(u, 2.019045601722247e-6);
        let p = p.mul_add(u, -1.6559364422865626e-6);
        let p = p.mul_add(u, -5.956394473819777e-6);
        let p = p.mul_add(u, 2.1936285534102914e-5);
        let p = p.mul_add(u, -2.287058996084811e-5);
        let p = p.mul_add(u, -4.6460835139571965e-5);
        let p = p.mul_add(u, 2.0551613937799755e-4);
        let p = p.mul_add(u, -2.831243850984243e-4);
        let p = p.mul_add(u, -1.4889805289548078e-4);
        let p = p.mul_add(u, 1.483737346420982e-3);
        let p = p.mul_add(u, -3.558794019032313e-3);
        let p = p.mul_add(u, 5.685182417309189e-3);
        let p = p.mul_add(u, -7.643805569967226e-3);
        let p = p.mul_add(u, 9.445522012013995e-3);
        let p = p.mul_add(u, 1.0016752766933987);
        p.mul_add(u, 2.8329767987282706) * x
    } else {
        let u = w.sqrt() - 5.0;
        let p = -2.8652684643782235e-11f64;
        let p = p.mul_add(u, 4.347776806149695e-11);
        let p = p.mul_add(u, 1.0775808050646475e-10);
        let p = p.mul_add(u, -4.4008867164246326e-10);
        let p = p.mul_add(u, 1.2422481533683745e-9);
        let p = p.mul_add(u, -3.467005465434952e-9);
        let p = p.mul_add(u, 7.898453354533681e-9);
        let p = p.mul_add(u, -1.525901832232598e-8);
        let p = p.mul_add(u, 2.8971616070289024e-8);
        let p = p.mul_add(u, -6.75541139491678e-8);
        let p = p.mul_add(u, 2.290697426036535e-7);
        let p = p.mul_add(u, -9.93030020644902e-7);
        let p = p.mul_add(u, 4.5260491003255725e-6);
        let p = p.mul_add(u, -1.9681770594681964e-5);
        let p = p.mul_add(u, 7.599527844212665e-5);
        let p = p.mul_add(u, -2.150301198357795e-4);
        let p = p.mul_add(u, -1.3871931839314517e-4);
        let p = p.mul_add(u, 1.0103004648645455);
        p.mul_add(u, 4.849906401408584) * x
    }
}
